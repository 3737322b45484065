module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <source_location>
#include <sstream>
#include <string>
#include <utility>
module tessera.memory;
import tessera.core;
import tessera.device;

// Patterns, guards, and the list of what is live and what was freed of late.
namespace tessera::memory {

namespace {

// NaN as float16, bfloat16, float, double; as integers -1 and a number that stands out.
constexpr std::uint16_t fresh_pattern = 0xffff;
constexpr std::uint16_t freed_pattern = 0xfff1;
constexpr std::uint16_t guard_pattern = 0xfdfd;

constexpr std::size_t most_kept = 1024;
constexpr std::ptrdiff_t most_kept_bytes = std::ptrdiff_t{16} << 20;

void fill(void* pointer, std::ptrdiff_t bytes, std::uint16_t pattern) {
  auto* out = static_cast<unsigned char*>(pointer);
  for (std::ptrdiff_t i = 0; i < bytes; ++i) out[i] = static_cast<unsigned char>(pattern >> (i % 2 * 8));
}

/// Offset of the first byte that differs from the pattern; `bytes` if none does.
std::ptrdiff_t first_difference(const void* pointer, std::ptrdiff_t bytes, std::uint16_t pattern) {
  const auto* in = static_cast<const unsigned char*>(pointer);
  for (std::ptrdiff_t i = 0; i < bytes; ++i) {
    if (in[i] != static_cast<unsigned char>(pattern >> (i % 2 * 8))) return i;
  }
  return bytes;
}

struct Record {
  char* base = nullptr;
  std::ptrdiff_t before = 0;  // bytes from the base to the block
  std::ptrdiff_t bytes = 0;
  std::source_location where;

  char* block() const { return base + before; }
  std::ptrdiff_t reserved() const { return before + bytes + guard_bytes; }
};

std::string described(const Record& record) {
  const std::string_view path = record.where.file_name();
  const auto slash = path.find_last_of('/');
  return std::to_string(record.bytes) + " bytes from " +
         std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)) + ":" +
         std::to_string(record.where.line());
}

[[noreturn]] void accuse(Place place, const void* pointer, const std::string& problem, std::string_view advice = {}) {
  std::ostringstream text;
  text << pointer << ' ' << problem;
  throw PlaceError(to_string(
      Failure{.operation = "memory::free(" + to_string(place) + ")", .problem = text.str(), .advice = advice}));
}

}  // namespace

struct DebugHeap::State {
  Place place;
  mutable std::mutex mutex;
  std::map<const char*, Record> live;   // by the block's address
  std::map<const char*, Record> freed;  // the same of those that are kept
  std::deque<const char*> order;        // of those, the oldest first
  std::ptrdiff_t kept_bytes = 0;

  bool readable() const { return place.on_host(); }

  [[noreturn]] void accuse_unknown(const char* pointer) const {
    if (const auto old = freed.find(pointer); old != freed.end())
      accuse(place, pointer, "was freed before: " + described(old->second));
    const auto above = live.upper_bound(pointer);
    if (above != live.begin()) {
      const Record& near = std::prev(above)->second;
      if (pointer < near.block() + near.bytes) accuse(place, pointer, "points inside a block of " + described(near));
    }
    refuse_pointer(place, pointer);
  }

  void check_guards(const Record& record) const {
    if (!readable()) return;
    if (first_difference(record.base, record.before, guard_pattern) < record.before)
      accuse(place, record.block(), "was written to before its beginning: " + described(record));
    if (first_difference(record.block() + record.bytes, guard_bytes, guard_pattern) < guard_bytes)
      accuse(place, record.block(), "was written to beyond its end: " + described(record));
  }

  /// What is wrong with a block that was freed; empty if nothing is.
  std::string damage_of(const Record& record) const {
    if (!readable()) return {};
    const std::ptrdiff_t offset = first_difference(record.block(), record.bytes, freed_pattern);
    if (offset == record.bytes) return {};
    return "was written to after it was freed, at byte " + std::to_string(offset) + ": " + described(record);
  }

  Released forget_oldest() {
    const auto oldest = freed.find(order.front());
    const Record record = oldest->second;
    order.pop_front();
    freed.erase(oldest);
    kept_bytes -= record.bytes;
    return {record.base, record.reserved(), damage_of(record)};
  }
};

DebugHeap::DebugHeap(Place place) : state_(std::make_unique<State>()) { state_->place = place; }

DebugHeap::~DebugHeap() = default;

std::ptrdiff_t DebugHeap::with_guards(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  return checked_add(checked_add(bytes, std::max(alignment, guard_bytes)), guard_bytes);
}

void* DebugHeap::admit(void* base, std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where) {
  const Record record{static_cast<char*>(base), std::max(alignment, guard_bytes), bytes, where};
  if (state_->readable()) {
    fill(base, record.before, guard_pattern);
    fill(record.block(), bytes, fresh_pattern);
    fill(record.block() + bytes, guard_bytes, guard_pattern);
  }
  const std::lock_guard lock(state_->mutex);
  state_->live.emplace(record.block(), record);
  return record.block();
}

DebugHeap::Released DebugHeap::dismiss(void* pointer) {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->live.find(static_cast<const char*>(pointer));
  if (found == state_->live.end()) state_->accuse_unknown(static_cast<const char*>(pointer));
  state_->check_guards(found->second);
  state_->order.push_back(found->first);
  const Record& record = found->second;
  if (state_->readable()) fill(record.block(), record.bytes, freed_pattern);
  state_->kept_bytes += record.bytes;
  state_->freed.insert(state_->live.extract(found));
  if (state_->order.size() <= most_kept && state_->kept_bytes <= most_kept_bytes) return {};
  return state_->forget_oldest();
}

void DebugHeap::report(const Released& released) const {
  if (!released.damage.empty()) accuse(state_->place, released.base, released.damage);
}

DebugHeap::Released DebugHeap::give_up() {
  const std::lock_guard lock(state_->mutex);
  return state_->order.empty() ? Released{} : state_->forget_oldest();
}

bool DebugHeap::knows(const void* pointer) const {
  const std::lock_guard lock(state_->mutex);
  const auto* block = static_cast<const char*>(pointer);
  return state_->live.contains(block) || state_->freed.contains(block);
}

std::string DebugHeap::leaks() const {
  const std::lock_guard lock(state_->mutex);
  std::string lines;
  for (const auto& [block, record] : state_->live)
    lines += "memory: leaked " + described(record) + " on " + to_string(state_->place) + "\n";
  return lines;
}

}  // namespace tessera::memory
