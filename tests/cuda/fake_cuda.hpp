// What tests ask of the fake CUDA driver beyond CUDA's functions. The library is the one that TESSERA_CUDA_DRIVER
// names. Tests that cannot do without are in the suite "fake"; the others run on a real driver too, where is_here() is false
// and the log stays empty.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <string>

namespace fake {

template <class Function>
Function* function_of(const char* name) {
  static const char* const file = std::getenv("TESSERA_CUDA_DRIVER");
  static void* const library = file != nullptr ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
  return library != nullptr ? reinterpret_cast<Function*>(dlsym(library, name)) : nullptr;
}

/// The driver is the fake one. Else only start_log() and log() may be called.
inline bool is_here() { return function_of<void()>("fake_start_log") != nullptr; }

/// Blocks of a GPU that the driver has given out.
inline std::size_t live_blocks(int ordinal) { return function_of<std::size_t(int)>("fake_live_blocks")(ordinal); }

/// Pinned blocks that the driver has given out.
inline std::size_t pinned_blocks() { return function_of<std::size_t()>("fake_pinned_blocks")(); }

/// Pieces of work that wait in all streams.
inline std::size_t pending_work() { return function_of<std::size_t()>("fake_pending_work")(); }

/// Events that were ever created.
inline std::size_t events() { return function_of<std::size_t()>("fake_events")(); }

/// Whether the driver has graphs.
inline bool has_graphs() { return function_of<void()>("cuGraphLaunch") != nullptr; }

/// Graphs, instantiated or not, that have not been destroyed.
inline std::size_t graphs() { return function_of<std::size_t()>("fake_graphs")(); }

/// Forgets the calls so far and notes those from now on.
inline void start_log() {
  if (is_here()) function_of<void()>("fake_start_log")();
}

/// A line for each call since start_log: "gpu0 stream1 launch 4 x 256", "gpu0 stream1 copy gpu0 to host, 24 bytes",
/// "gpu0 stream2 fill 64 bytes", "gpu0 stream1 launch a graph of 3 kernels", "prepare a graph of 3 kernels", "change a kernel of a graph", "gpu0 stream2 wait for stream1", "record stream1", "host waits for stream1", "allocate
/// 1048576 bytes of gpu0".
inline std::string log() {
  if (!is_here()) return "";
  const auto read = function_of<std::size_t(char*, std::size_t)>("fake_log");
  std::string text(read(nullptr, 0), '\0');
  read(text.data(), text.size());
  return text;
}

/// The next work that a stream is given fails when it runs, with an error after which the GPU does nothing.
inline void break_next_work(int result) { function_of<void(int)>("fake_break_next_work")(result); }

/// While it lives, GPUs do nothing when the host asks how far they are; they still work when it sleeps until they are done.
class Holding {
 public:
  Holding() { function_of<void(int)>("fake_hold")(1); }
  ~Holding() { function_of<void(int)>("fake_hold")(0); }
  Holding(const Holding&) = delete;
  Holding& operator=(const Holding&) = delete;
};

/// Lets the next copies, launches and GPU allocations return a CUDA error; gone at the end of the scope.
class Failing {
 public:
  Failing(int calls, int result) { set(calls, result); }
  ~Failing() { set(0, 0); }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;

 private:
  static void set(int calls, int result) { function_of<void(int, int)>("fake_fail")(calls, result); }
};

}  // namespace fake
