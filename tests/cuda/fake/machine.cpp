// Serves pending work as late, and in as bad an order, as CUDA's rules allow.
#include "machine.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

namespace fake {

namespace {

std::uint64_t seed_from_environment() {
  const char* text = std::getenv("FAKE_CUDA_SEED");
  const auto seed = text != nullptr ? std::strtoull(text, nullptr, 10) : 1;
  return seed * 0x9e3779b97f4a7c15ull + 1;
}

}  // namespace

double milliseconds() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void refuse(const std::string& message) {
  std::fprintf(stderr, "fake CUDA: %s\n", message.c_str());
  std::abort();
}

Machine::Machine() : random_(seed_from_environment()) {
  for (int ordinal = 0; ordinal < most_devices; ++ordinal) gpus[ordinal].ordinal = ordinal;
}

Machine& Machine::instance() {
  static Machine& machine = *new Machine;
  return machine;
}

unsigned Machine::random_below(unsigned end) {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  return static_cast<unsigned>((random_ >> 16) % end);
}

void Machine::give(Stream& stream, Work work) {
  if (breaks_next_work != success) {
    work.run = [gpu = stream.gpu, result = std::exchange(breaks_next_work, success)] { gpu->broken = result; };
  }
  require_apart(work.uses, dying, work.name + " is given memory that was freed before");
  log("gpu" + std::to_string(stream.gpu->ordinal) + " stream" + std::to_string(stream.number) + " " + work.name);
  stream.pending.push_back(std::move(work));
  ++stream.given;
}

bool Machine::can_go_on(const Stream& stream) const {
  if (stream.pending.empty()) return false;
  const Work& next = stream.pending.front();
  if (next.is_ready && !next.is_ready()) return false;
  return next.after == nullptr || next.after->done >= next.after_position;
}

void Machine::run_front(Stream& stream) {
  const Work work = std::move(stream.pending.front());
  stream.pending.pop_front();
  require_apart(work.uses, unborn, work.name + " runs before the allocation of its memory");
  if (work.run && stream.gpu->broken == success) work.run();
  ++stream.done;
  if (const auto timed = stream.done_at.find(stream.done); timed != stream.done_at.end())
    timed->second = milliseconds();
}

bool Machine::run_one() {
  std::vector<Stream*> ready;
  for (const auto& stream : streams) {
    if (can_go_on(*stream)) ready.push_back(stream.get());
  }
  if (ready.empty()) return false;
  run_front(*ready[random_below(static_cast<unsigned>(ready.size()))]);
  return true;
}

void Machine::run_until(const Stream& stream, std::uint64_t position) {
  const auto waits_for_others = [](const auto& waiting) {
    return !waiting->pending.empty() && waiting->pending.front().is_ready;
  };
  while (stream.done < position) {
    if (run_one()) continue;
    if (std::ranges::none_of(streams, waits_for_others)) refuse("streams wait for each other for ever");
    std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

void Machine::run_all() {
  while (run_one()) continue;
}

void Machine::run_perhaps() {
  if (!is_held && random_below(4) == 0) run_one();
}

bool Machine::knows(const Stream* stream) const {
  return std::ranges::any_of(streams, [&](const auto& known) { return known.get() == stream; });
}

bool Machine::knows(const Event* event) const {
  return std::ranges::any_of(events, [&](const auto& known) { return known.get() == event; });
}

Gpu* Machine::gpu_of(std::uint64_t address) {
  for (Gpu& gpu : gpus) {
    if (gpu.memory.owns(address)) return &gpu;
  }
  return nullptr;
}

bool Machine::is_pinned(std::uint64_t address, std::size_t bytes) const {
  auto block = pinned.upper_bound(address);
  if (block == pinned.begin()) return false;
  --block;
  return address + bytes <= block->first + block->second;
}

void Machine::require_unused(Range range, const std::string& call) const {
  for (const auto& stream : streams) {
    for (const Work& work : stream->pending) {
      for (const Range& use : work.uses) {
        if (use.begin < range.end && range.begin < use.end)
          refuse(call + " of memory that pending work uses: " + work.name + " of stream " +
                 std::to_string(stream->number));
      }
    }
  }
}

void Machine::require_apart(const std::vector<Range>& ranges, const std::vector<Range>& others,
                            const std::string& what) const {
  for (const Range& range : ranges) {
    for (const Range& other : others) {
      if (range.begin < other.end && other.begin < range.end) refuse(what);
    }
  }
}

void Machine::require_live(std::uint64_t address, std::size_t bytes, const std::string& what) {
  const Gpu* gpu = gpu_of(address);
  if (gpu != nullptr && !gpu->memory.is_live(address, bytes)) refuse(what + " of GPU memory that is not allocated");
}

std::byte* Machine::behind(std::uint64_t address) {
  const Gpu* gpu = gpu_of(address);
  return gpu != nullptr ? gpu->memory.behind(address) : reinterpret_cast<std::byte*>(address);
}

void Machine::log(const std::string& line) {
  if (logs_) log_ += line + "\n";
}

void Machine::start_log() {
  logs_ = true;
  log_.clear();
}

}  // namespace fake
