module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;
import :debug_records;
import :lock;

// Patterns, guards, and the list of what is live and what was freed of late.
namespace tessera::memory {

namespace {

using Pattern = std::array<unsigned char, 4096>;

/// A page that repeats two bytes, to copy from and to compare with.
constexpr Pattern pattern_of(std::uint16_t word) {
  Pattern pattern{};
  for (std::size_t i = 0; i < pattern.size(); ++i) pattern[i] = static_cast<unsigned char>(word >> (i % 2 * 8));
  return pattern;
}

// NaN as float16, bfloat16, float, double; as integers -1 and a number that stands out.
constexpr Pattern fresh = pattern_of(0xffff);
constexpr Pattern freed = pattern_of(0xfff1);
constexpr Pattern guard = pattern_of(0xfdfd);

// Freed memory that is held back. More would find later writes, and be in no cache of the processor when it is looked at.
constexpr std::size_t most_kept = 1024;
constexpr std::ptrdiff_t most_kept_bytes = std::ptrdiff_t{1} << 20;

constexpr std::ptrdiff_t longest_locked = 4096;  // blocks above are filled and looked at without the lock

void fill(char* out, std::ptrdiff_t bytes, const Pattern& pattern) {
  for (constexpr auto page = static_cast<std::ptrdiff_t>(sizeof pattern); bytes > 0; out += page, bytes -= page)
    std::memcpy(out, pattern.data(), static_cast<std::size_t>(std::min(bytes, page)));
}

/// Offset of the first byte that differs from the pattern; `bytes` if none does.
std::ptrdiff_t first_difference(const char* in, std::ptrdiff_t bytes, const Pattern& pattern) {
  constexpr auto page = static_cast<std::ptrdiff_t>(sizeof pattern);
  for (std::ptrdiff_t begin = 0; begin < bytes; begin += page) {
    const std::ptrdiff_t count = std::min(bytes - begin, page);
    if (std::memcmp(in + begin, pattern.data(), static_cast<std::size_t>(count)) == 0) continue;
    const auto* found = reinterpret_cast<const unsigned char*>(in + begin);
    return begin + (std::mismatch(found, found + count, pattern.begin()).first - found);
  }
  return bytes;
}

std::string described(const DebugRecord& record) {
  const std::string_view path = record.where.file_name();
  const auto slash = path.find_last_of('/');
  return std::to_string(record.bytes) + " bytes from " +
         std::string(slash == std::string_view::npos ? path : path.substr(slash + 1)) + ":" +
         std::to_string(record.where.line());
}

std::string text_of(const void* pointer) {
  std::ostringstream text;
  text << pointer;
  return text.str();
}

[[noreturn]] void accuse(Place place, const std::string& problem) {
  throw PlaceError(to_string(Failure{.operation = "memory::free(" + to_string(place) + ")", .problem = problem}));
}

}  // namespace

struct DebugHeap::State {
  Place place;
  mutable Lock mutex;
  DebugRecords records;
  std::uint64_t allocations = 0;
  std::array<char*, most_kept + 1> order{};  // blocks that are kept, from `oldest` on, around its end
  std::size_t oldest = 0, kept = 0;
  std::ptrdiff_t kept_bytes = 0;
  std::atomic<std::size_t> count{0};  // of records

  bool readable() const { return place.on_host(); }
  /// Whether the oldest kept block would go if one of `bytes` bytes were kept.
  bool is_full_for(std::ptrdiff_t bytes) const {
    return kept > 0 && (kept + 1 > most_kept || kept_bytes + bytes > most_kept_bytes);
  }
  bool over_budget() const { return kept > most_kept || kept_bytes > most_kept_bytes; }

  void guard_and_fill(char* block, std::ptrdiff_t before, std::ptrdiff_t bytes) const {
    if (!readable()) return;
    fill(block - before, before, guard);
    fill(block, bytes, fresh);
    fill(block + bytes, guard_bytes, guard);
  }

  /// What is wrong with a live block's guards; empty if nothing is.
  std::string damage_of_guards(const DebugRecord& record) const {
    if (!readable()) return {};
    if (first_difference(record.block - record.before, record.before, guard) < record.before)
      return text_of(record.block) + " was written to before its beginning: " + described(record);
    if (first_difference(record.block + record.bytes, guard_bytes, guard) < guard_bytes)
      return text_of(record.block) + " was written to beyond its end: " + described(record);
    return {};
  }

  /// What is wrong with a block that was freed; empty if nothing is.
  std::string damage_of(const DebugRecord& record) const {
    if (!readable()) return {};
    const std::ptrdiff_t offset = first_difference(record.block, record.bytes, freed);
    if (offset == record.bytes) return {};
    return text_of(record.block) + " was written to after it was freed, at byte " + std::to_string(offset) + ": " +
           described(record);
  }

  void take_oldest(const DebugRecord& entry) {
    oldest = (oldest + 1) % order.size();
    --kept;
    kept_bytes -= entry.bytes;
  }

  DebugRecord forget(DebugRecord& entry) {
    const DebugRecord record = entry;
    records.erase(entry);
    count.store(records.count(), std::memory_order_release);
    return record;
  }

  DebugRecord forget_oldest() {
    DebugRecord& entry = *records.find(order[oldest]);
    take_oldest(entry);
    return forget(entry);
  }

  void keep(DebugRecord& entry) {
    entry.state = DebugRecord::State::kept;
    order[(oldest + kept++) % order.size()] = entry.block;
    kept_bytes += entry.bytes;
  }

  /// All memory of a record that is forgotten.
  static Released whole(const DebugRecord& record, bool more, std::string damage) {
    return {.base = record.block - record.before,
            .bytes = record.before + record.bytes + guard_bytes,
            .more = more,
            .damage = std::move(damage)};
  }
};

DebugHeap::DebugHeap(Place place) : state_(std::make_unique<State>()) { state_->place = place; }

DebugHeap::~DebugHeap() = default;

std::ptrdiff_t DebugHeap::with_guards(std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
  std::ptrdiff_t sum = 0;
  if (__builtin_add_overflow(bytes, std::max(alignment, guard_bytes) + guard_bytes, &sum)) return PTRDIFF_MAX;
  return sum;  // more than any memory is refused where memory is looked for
}

void* DebugHeap::admit(void* base, std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where) {
  const std::ptrdiff_t before = std::max(alignment, guard_bytes);
  char* block = static_cast<char*>(base) + before;
  state_->guard_and_fill(block, before, bytes);
  const std::lock_guard lock(state_->mutex);
  state_->records.insert({block, before, bytes, state_->allocations, where, DebugRecord::State::live});
  ++state_->allocations;
  state_->count.store(state_->records.count(), std::memory_order_release);
  return block;
}

void* DebugHeap::reuse(std::ptrdiff_t bytes, std::ptrdiff_t alignment, std::source_location where) {
  State& state = *state_;
  if (bytes > longest_locked) return nullptr;
  const std::lock_guard lock(state.mutex);
  if (!state.is_full_for(bytes)) return nullptr;
  DebugRecord& entry = *state.records.find(state.order[state.oldest]);
  const bool fits = entry.bytes == bytes && entry.before == std::max(alignment, guard_bytes);
  if (!fits || !state.damage_of(entry).empty()) return nullptr;
  state.take_oldest(entry);
  entry.state = DebugRecord::State::live;
  entry.number = state.allocations++;
  entry.where = where;
  state.guard_and_fill(entry.block, entry.before, bytes);
  return entry.block;
}

std::optional<DebugHeap::Released> DebugHeap::dismiss(void* pointer) {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  DebugRecord* entry = state.records.find(pointer);
  if (entry == nullptr) return std::nullopt;
  const DebugRecord record = *entry;
  if (record.state != DebugRecord::State::live)
    accuse(state.place, text_of(pointer) + " was freed before: " + described(record));
  entry->state = DebugRecord::State::leaving;
  if (record.bytes > longest_locked) lock.unlock();
  const std::string damage = state.damage_of_guards(record);
  if (damage.empty() && state.readable()) fill(record.block, record.bytes, freed);
  if (!lock.owns_lock()) {
    lock.lock();
    entry = state.records.find(pointer);
  }
  if (!damage.empty()) {
    entry->state = DebugRecord::State::live;
    accuse(state.place, damage);
  }
  if (record.bytes > most_kept_bytes) return State::whole(state.forget(*entry), false, {});
  state.keep(*entry);
  if (!state.over_budget()) return Released{};
  const DebugRecord leaves = state.forget_oldest();
  const bool more = state.over_budget();
  lock.unlock();
  return State::whole(leaves, more, state.damage_of(leaves));
}

DebugHeap::Released DebugHeap::give_up() {
  State& state = *state_;
  std::unique_lock lock(state.mutex);
  if (state.kept == 0) return {};
  const DebugRecord leaves = state.forget_oldest();
  const bool more = state.over_budget();
  lock.unlock();
  return State::whole(leaves, more, state.damage_of(leaves));
}

bool DebugHeap::is_before_a_block(const void* pointer) const {
  const std::lock_guard lock(state_->mutex);
  for (std::ptrdiff_t before = guard_bytes; before <= (std::ptrdiff_t{1} << 40); before *= 2) {  // its alignment
    const DebugRecord* const record = state_->records.find(static_cast<const char*>(pointer) + before);
    if (record != nullptr && record->before == before) return true;
  }
  return false;
}

void DebugHeap::refuse(const void* pointer) const {
  {
    const auto* inside = static_cast<const char*>(pointer);
    const std::lock_guard lock(state_->mutex);
    state_->records.for_each([&](const DebugRecord& record) {
      if (record.state == DebugRecord::State::live && inside >= record.block - record.before && inside < record.block)
        accuse(state_->place, text_of(pointer) + " lies before a block of " + described(record));
      if (record.state == DebugRecord::State::live && inside > record.block && inside < record.block + record.bytes)
        accuse(state_->place, text_of(pointer) + " points inside a block of " + described(record));
    });
  }
  refuse_pointer(state_->place, pointer);
}

void DebugHeap::report(const Released& released) const {
  if (!released.damage.empty()) accuse(state_->place, released.damage);
}

bool DebugHeap::empty() const noexcept { return state_->count.load(std::memory_order_acquire) == 0; }

std::string DebugHeap::leaks() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<DebugRecord> records;
  state_->records.for_each([&](const DebugRecord& record) { records.push_back(record); });
  std::sort(records.begin(), records.end(), [](const auto& a, const auto& b) { return a.number < b.number; });
  std::string lines;
  for (const DebugRecord& record : records) {
    std::string problem;
    if (record.state == DebugRecord::State::live) problem = "leaked " + described(record);
    if (record.state == DebugRecord::State::kept) problem = state_->damage_of(record);
    if (!problem.empty()) lines += "memory: " + problem + " on " + to_string(state_->place) + "\n";
  }
  return lines;
}

}  // namespace tessera::memory
