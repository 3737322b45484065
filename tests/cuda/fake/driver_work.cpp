// A stand-in for the CUDA driver library: streams, events, copies and kernels.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "copies.hpp"
#include "driver.hpp"
#include "kernels.hpp"

using namespace fake;

int fake::check_stream(Machine& machine, const Stream* stream) {
  if (current == nullptr) return invalid_context;
  if (!machine.knows(stream)) return invalid_handle;
  if (stream->gpu != current) return invalid_context;
  return stream->gpu->broken;
}

namespace {

int check_event(Machine& machine, const Event* event) {
  if (current == nullptr) return invalid_context;
  return machine.knows(event) ? event->gpu->broken : invalid_handle;
}

bool is_done(const Event& event) { return event.stream == nullptr || event.stream->done >= event.position; }

std::string name_of(const Stream& stream) { return "stream" + std::to_string(stream.number); }

/// CUDA_MEMCPY2D with both sides in memory.
struct RowCopy {
  std::size_t from_x, from_y;
  unsigned from_type;
  std::uint64_t from_host, from_device, from_array;
  std::size_t from_pitch;
  std::size_t to_x, to_y;
  unsigned to_type;
  std::uint64_t to_host, to_device, to_array;
  std::size_t to_pitch;
  std::size_t row_bytes, rows;
};

constexpr unsigned host_memory = 1;
constexpr unsigned without_timing = 2;  // CU_EVENT_DISABLE_TIMING

}  // namespace

extern "C" {

int cuDriverGetVersion(int* version);

int cuStreamCreate(Stream** stream, unsigned) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (current == nullptr) return invalid_context;
  if (current->broken != success) return current->broken;
  const int number = static_cast<int>(machine.streams.size());
  machine.streams.push_back(std::make_unique<Stream>(Stream{.gpu = current, .number = number}));
  *stream = machine.streams.back().get();
  return success;
}

int cuStreamWaitEvent(Stream* stream, Event* event, unsigned) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  if (!machine.knows(event)) return invalid_handle;
  if (event->stream == nullptr) refuse(name_of(*stream) + " waits for an event that was never recorded");
  machine.give(*stream, {.name = "wait for " + name_of(*event->stream),
                         .uses = {},
                         .after = event->stream,
                         .after_position = event->position,
                         .run = {}});
  return success;
}

int cuStreamSynchronize(Stream* stream) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  machine.log("host waits for " + name_of(*stream));
  machine.run_until(*stream, stream->given);
  return stream->gpu->broken;
}

int cuMemAllocAsync(std::uint64_t* address, std::size_t bytes, Stream* stream) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  if (bytes == 0) return invalid_value;
  if (fails_now()) return machine.failure;
  *address = stream->gpu->memory.allocate(bytes);
  if (*address == 0) return out_of_memory;
  const GpuMemory::Range block = stream->gpu->memory.block_of(*address);
  machine.unborn.push_back({block.begin, block.end});
  machine.give(*stream, {.name = "allocate " + std::to_string(bytes) + " bytes of the pool",
                         .uses = {},
                         .run = [&machine, begin = block.begin] {
                           std::erase_if(machine.unborn, [&](const Range& range) { return range.begin == begin; });
                         }});
  return success;
}

int cuMemFreeAsync(std::uint64_t address, Stream* stream) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  if (!stream->gpu->memory.owns(address)) return invalid_value;
  const GpuMemory::Range block = stream->gpu->memory.block_of(address);
  if (block.begin != address) return invalid_value;
  machine.require_apart({{block.begin, block.end}}, machine.dying, "a second free");
  machine.dying.push_back({block.begin, block.end});
  machine.give(*stream, {.name = "free memory of the pool", .uses = {}, .run = [&machine, stream, block] {
                           machine.require_unused({block.begin, block.end}, "cuMemFreeAsync");
                           std::erase_if(machine.dying, [&](const Range& range) { return range.begin == block.begin; });
                           stream->gpu->memory.free(block.begin);
                         }});
  return success;
}

int cuEventCreate(Event** event, unsigned flags) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (current == nullptr) return invalid_context;
  if (current->broken != success) return current->broken;
  machine.events.push_back(std::make_unique<Event>(Event{.gpu = current, .has_time = (flags & without_timing) == 0}));
  *event = machine.events.back().get();
  return success;
}

int cuEventRecord(Event* event, Stream* stream) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  if (!machine.knows(event) || event->gpu != stream->gpu) return invalid_handle;
  event->stream = stream;
  event->position = stream->given;
  if (event->has_time) stream->done_at[event->position] = milliseconds();  // unless there is work before it
  machine.log("record " + name_of(*stream));
  return success;
}

int cuEventQuery(Event* event) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_event(machine, event); result != success) return result;
  if (!is_done(*event)) machine.run_perhaps();
  if (event->gpu->broken != success) return event->gpu->broken;
  return is_done(*event) ? success : not_ready;
}

int cuEventSynchronize(Event* event) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_event(machine, event); result != success) return result;
  if (event->stream == nullptr) refuse("the host waits for an event that was never recorded");
  machine.log("host waits for " + name_of(*event->stream));
  machine.run_until(*event->stream, event->position);
  return event->gpu->broken;
}

int cuEventDestroy_v2(Event* event) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_event(machine, event); result != success) return result;
  std::erase_if(machine.events, [event](const auto& known) { return known.get() == event; });
  return success;
}

int cuEventElapsedTime(float* elapsed, Event* begin, Event* end) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  for (const Event* event : {begin, end}) {
    if (const int result = check_event(machine, event); result != success) return result;
    if (!event->has_time || event->stream == nullptr) return invalid_handle;
    if (!is_done(*event)) return not_ready;
  }
  if (begin->gpu != end->gpu) return invalid_handle;
  *elapsed = static_cast<float>(end->stream->done_at.at(end->position) - begin->stream->done_at.at(begin->position));
  return success;
}

int cuMemcpyAsync(std::uint64_t to, std::uint64_t from, std::size_t bytes, Stream* stream) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  if (fails_now()) return machine.failure;
  copy(machine, *stream, {.to = to, .from = from, .to_pitch = bytes, .from_pitch = bytes, .row_bytes = bytes});
  return stream->gpu->broken;
}

int cuMemcpy2DAsync_v2(const RowCopy* rows, Stream* stream) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  if (fails_now()) return machine.failure;
  if (rows->to_pitch < rows->row_bytes || rows->from_pitch < rows->row_bytes) return invalid_value;
  const bool to_host = rows->to_type == host_memory, from_host = rows->from_type == host_memory;
  const std::uint64_t to = to_host ? rows->to_host : rows->to_device;
  const std::uint64_t from = from_host ? rows->from_host : rows->from_device;
  if (to_host == (machine.gpu_of(to) != nullptr) || from_host == (machine.gpu_of(from) != nullptr))
    return invalid_value;
  copy(machine, *stream,
       {.to = to + rows->to_y * rows->to_pitch + rows->to_x,
        .from = from + rows->from_y * rows->from_pitch + rows->from_x,
        .to_pitch = rows->to_pitch,
        .from_pitch = rows->from_pitch,
        .row_bytes = rows->row_bytes,
        .rows = rows->rows});
  return stream->gpu->broken;
}

static int fill_stream(std::uint64_t to, std::uint64_t pattern, std::size_t item, std::size_t count, Stream* stream) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  if (machine.gpu_of(to) != stream->gpu || to % item != 0) return invalid_value;
  fill(machine, *stream, to, pattern, item, count);
  return success;
}

int cuMemsetD8Async(std::uint64_t to, unsigned char pattern, std::size_t count, Stream* stream) {
  return fill_stream(to, pattern, 1, count, stream);
}

int cuMemsetD16Async(std::uint64_t to, unsigned short pattern, std::size_t count, Stream* stream) {
  return fill_stream(to, pattern, 2, count, stream);
}

int cuMemsetD32Async(std::uint64_t to, unsigned pattern, std::size_t count, Stream* stream) {
  return fill_stream(to, pattern, 4, count, stream);
}

int cuModuleLoadData(Module** module, const void* image) {
  const std::lock_guard lock(Machine::instance().mutex);
  if (current == nullptr) return invalid_context;
  if (current->broken != success) return current->broken;
  int version = 0;
  cuDriverGetVersion(&version);
  return load(*module, image, version);
}

int cuModuleGetFunction(Function** function, Module* module, const char* name) {
  if (current == nullptr) return invalid_context;
  *function = find(*module, name, *current);
  return *function != nullptr ? success : not_found;
}

int cuFuncGetAttribute(int* value, int attribute, Function* function) {
  constexpr int most_threads = 0, local_bytes = 3, registers = 4;
  *value = attribute == most_threads ? (function->bound != 0 ? function->bound : 1024)
           : attribute == registers  ? 32
                                     : 0;
  return attribute == most_threads || attribute == local_bytes || attribute == registers ? success : invalid_value;
}

int cuFuncSetAttribute(Function* function, int attribute, int value) {
  constexpr int dynamic_shared = 8;
  if (attribute != dynamic_shared || value < 0 || value > 232448) return invalid_value;
  function->shared_allowed = value;
  return success;
}

int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function*, int threads, std::size_t shared_bytes) {
  const std::size_t by_memory = shared_bytes == 0 ? 32 : 232448 / shared_bytes;
  *blocks = static_cast<int>(std::min<std::size_t>({32, by_memory, 2048 / static_cast<std::size_t>(threads)}));
  return success;
}

int cuLaunchKernel(Function* function, unsigned blocks, unsigned blocks_y, unsigned blocks_z, unsigned threads,
                   unsigned threads_y, unsigned threads_z, unsigned shared_bytes, Stream* stream, void** parameters,
                   void** extra) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  if (fails_now()) return machine.failure;
  if (blocks_y * blocks_z * threads_y * threads_z != 1 || parameters != nullptr) return invalid_value;
  Launch launch{.function = function, .blocks = blocks, .threads = threads, .shared_bytes = shared_bytes};
  if (const int result = check_launch(launch, stream->gpu, extra); result != success) return result;
  std::vector<Range> uses = memory_of(machine, launch.arguments);
  machine.give(*stream, {.name = "launch " + std::to_string(blocks) + " x " + std::to_string(threads),
                         .uses = std::move(uses),
                         .run = [&machine, launch = std::move(launch)] { run_kernel(machine, launch); }});
  return success;
}

/// Work of a library that runs on streams beside kernels, such as cuBLAS: `run(data)` may touch the memory from begins[k] to ends[k]. It runs when
/// `is_ready(data)` says so, if that is not null: work that other processes have part in. Tests of such libraries call it through dlsym.
int fake_give_when(Stream* stream, const char* name, const std::uint64_t* begins, const std::uint64_t* ends, int count,
                   bool (*is_ready)(void*), void (*run)(void*), void* data) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (const int result = check_stream(machine, stream); result != success) return result;
  Work work{.name = name, .uses = {}, .run = {}};
  for (int k = 0; k < count; ++k) {
    if (machine.gpu_of(begins[k]) != stream->gpu) refuse(work.name + " uses memory that is not its GPU's");
    machine.require_live(begins[k], ends[k] - begins[k], work.name);
    work.uses.push_back({begins[k], ends[k]});
  }
  work.run = [&machine, uses = work.uses, name = work.name, run, data] {
    for (const Range& use : uses) {
      machine.require_live(use.begin, use.end - use.begin, name);
      const GpuMemory::Range block = machine.gpu_of(use.begin)->memory.block_of(use.begin);
      open_block(block.begin, block.end);
    }
    run(data);
    for (const Range& use : uses) {
      const GpuMemory::Range block = machine.gpu_of(use.begin)->memory.block_of(use.begin);
      close_block(block.begin, block.end);
    }
  };
  if (is_ready != nullptr) work.is_ready = [is_ready, data] { return is_ready(data); };
  machine.give(*stream, std::move(work));
  return success;
}

int fake_give(Stream* stream, const char* name, const std::uint64_t* begins, const std::uint64_t* ends, int count,
              void (*run)(void*), void* data) {
  return fake_give_when(stream, name, begins, ends, count, nullptr, run, data);
}

}  // extern "C"
