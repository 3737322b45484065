// What the tests ask of the fake driver beyond the CUDA functions.
#pragma once

#include <dlfcn.h>

#include <cstddef>

namespace fake {

template <class Function>
Function* function_of(const char* name) {
  static void* const library = dlopen(FAKE_DRIVER, RTLD_NOW | RTLD_LOCAL);
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// Blocks of a GPU that the driver has given out.
inline std::size_t live_blocks(int ordinal) { return function_of<std::size_t(int)>("fake_live_blocks")(ordinal); }

/// Pinned blocks that the driver has given out.
inline std::size_t pinned_blocks() { return function_of<std::size_t()>("fake_pinned_blocks")(); }

/// Lets the next copies and GPU allocations return a CUDA error; gone at the end of the scope.
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
