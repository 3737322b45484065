module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
module tessera.device;
import tessera.core;
import :driver_table;
import :gpu_error;
import :launch_collector;
import :stream_state;

// Loading and launching of kernels.
namespace tessera::device {

namespace {

enum FunctionAttribute {
  most_threads_of_block = 0,
  local_bytes_of_thread = 3,
  registers_of_thread = 4,
  dynamic_shared = 8
};

int attribute(GpuPlace place, CuFunction function, FunctionAttribute number) {
  int value = 0;
  check(driver().function_attribute(&value, number, function), "cuFuncGetAttribute", place);
  return value;
}

}  // namespace

Kernel::Kernel(GpuPlace place, std::span<const std::byte> cubin) : place_(place) {
  enter(place);
  CuModule module = nullptr;
  check(driver().module_load(&module, cubin.data()), "cuModuleLoadData", place);
  check(driver().module_function(&function_, module, "tessera_kernel"), "cuModuleGetFunction", place);
  registers_ = attribute(place, function_, registers_of_thread);
  local_bytes_ = attribute(place, function_, local_bytes_of_thread);
  most_threads_ = attribute(place, function_, most_threads_of_block);
}

void Kernel::allow_shared(std::ptrdiff_t bytes) const {
  if (bytes <= shared_allowed_.load(std::memory_order_relaxed)) return;
  static auto& mutex = *new std::mutex;  // so that the largest wish is the last
  const std::lock_guard lock(mutex);
  if (bytes <= shared_allowed_.load(std::memory_order_relaxed)) return;
  check(driver().set_function_attribute(function_, dynamic_shared, static_cast<int>(bytes)), "cuFuncSetAttribute",
        place_);
  shared_allowed_.store(bytes, std::memory_order_relaxed);
}

void Kernel::launch(Stream& stream, unsigned blocks, unsigned threads, std::ptrdiff_t shared_bytes,
                    std::span<const std::byte> arguments, std::string_view expression,
                    const std::source_location& where) const {
  if (stream.place() != place_) {
    throw PlaceError(to_string(Failure{.operation = "launch",
                                       .problem = "the stream is on " + to_string(Place(stream.place())) +
                                                  ", the kernel on " + to_string(Place(place_)),
                                       .operands = {std::string(expression)},
                                       .where = where}));
  }
  enter(place_);
  allow_shared(shared_bytes);
  const Launch launch{.function = function_,
                      .blocks = blocks,
                      .threads = threads,
                      .shared_bytes = static_cast<unsigned>(shared_bytes),
                      .arguments = arguments,
                      .expression = expression,
                      .where = where};
  if (collect(stream, launch)) return;
  const TracedWork traced(stream, expression, -1, where);
  give(launch, place_, stream.native());
  const std::uint64_t sequence = stream.count_work();
  StreamState::of(stream).note_launch(sequence, expression, where);
}

int Kernel::blocks_per_multiprocessor(unsigned threads, std::ptrdiff_t shared_bytes) const {
  enter(place_);
  allow_shared(shared_bytes);
  int blocks = 0;
  check(driver().occupancy(&blocks, function_, static_cast<int>(threads), static_cast<std::size_t>(shared_bytes)),
        "cuOccupancyMaxActiveBlocksPerMultiprocessor", place_);
  return blocks;
}

}  // namespace tessera::device
