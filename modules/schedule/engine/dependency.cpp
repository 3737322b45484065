module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>
module tessera.schedule;

// The history of accesses: per Var its last writer and who has read since.
namespace tessera {

namespace {

std::vector<std::uint64_t> sorted_set(std::span<const std::uint64_t> ids) {
  std::vector<std::uint64_t> set(ids.begin(), ids.end());
  std::ranges::sort(set);
  set.erase(std::ranges::unique(set).begin(), set.end());
  return set;
}

}  // namespace

std::vector<Conflict> AccessHistory::append(std::span<const std::uint64_t> reads,
                                            std::span<const std::uint64_t> writes) {
  const std::vector<std::uint64_t> read = sorted_set(reads);
  const std::vector<std::uint64_t> written = sorted_set(writes);
  const std::size_t index = count_++;
  std::vector<Conflict> found;
  for (const std::uint64_t var : read) {
    Accesses& last = vars_[var];
    if (last.writer) found.push_back({*last.writer, DependencyKind::read_after_write, var});
    if (!std::ranges::binary_search(written, var)) last.readers.push_back(index);
  }
  for (const std::uint64_t var : written) {
    Accesses& last = vars_[var];
    for (const std::size_t reader : last.readers) found.push_back({reader, DependencyKind::write_after_read, var});
    const bool is_known = !last.readers.empty() || std::ranges::binary_search(read, var);
    if (last.writer && !is_known) found.push_back({*last.writer, DependencyKind::write_after_write, var});
    last = {index, {}};
  }
  return found;
}

}  // namespace tessera
