// Copies and fills: what they use is checked when they are given and when they run.
#include "copies.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace fake {

namespace {

std::size_t span_of(std::size_t pitch, const Rows& rows) { return pitch * (rows.rows - 1) + rows.row_bytes; }

std::string kind_of(Machine& machine, std::uint64_t address, std::size_t bytes) {
  if (const Gpu* gpu = machine.gpu_of(address)) return "gpu" + std::to_string(gpu->ordinal);
  return machine.is_pinned(address, bytes) ? "pinned" : "host";
}

void run_copy(Machine& machine, const Rows& rows, std::uint64_t from) {
  machine.require_live(rows.to, span_of(rows.to_pitch, rows), "a copy to");
  machine.require_live(from, span_of(rows.from_pitch, rows), "a copy from");
  std::byte* const target = machine.behind(rows.to);
  const std::byte* const source = machine.behind(from);
  for (std::size_t row = 0; row < rows.rows; ++row)
    std::memcpy(target + row * rows.to_pitch, source + row * rows.from_pitch, rows.row_bytes);
}

}  // namespace

void copy(Machine& machine, Stream& stream, const Rows& rows) {
  const std::size_t to_span = span_of(rows.to_pitch, rows), from_span = span_of(rows.from_pitch, rows);
  const std::string from = kind_of(machine, rows.from, from_span), to = kind_of(machine, rows.to, to_span);
  machine.require_live(rows.to, to_span, "a copy to");
  machine.require_live(rows.from, from_span, "a copy from");
  Work work{.name = "copy " + from + " to " + to + ", " + std::to_string(rows.rows * rows.row_bytes) + " bytes",
            .uses = {{rows.to, rows.to + to_span}, {rows.from, rows.from + from_span}},
            .run = {}};
  if (from == "host") {
    const auto* bytes = reinterpret_cast<const std::byte*>(rows.from);
    work.run = [&machine, rows, taken = std::vector<std::byte>(bytes, bytes + from_span)] {
      run_copy(machine, rows, reinterpret_cast<std::uint64_t>(taken.data()));
    };
    work.uses.pop_back();
  } else {
    work.run = [&machine, rows] { run_copy(machine, rows, rows.from); };
  }
  machine.give(stream, std::move(work));
  if (to == "host") machine.run_until(stream, stream.given);
}

void fill(Machine& machine, Stream& stream, std::uint64_t to, std::uint64_t pattern, std::size_t item,
          std::size_t count) {
  machine.require_live(to, item * count, "a fill");
  const auto run = [&machine, to, pattern, item, count] {
    machine.require_live(to, item * count, "a fill");
    std::byte* const target = machine.behind(to);
    for (std::size_t k = 0; k < count; ++k) std::memcpy(target + k * item, &pattern, item);
  };
  machine.give(
      stream,
      {.name = "fill " + std::to_string(item * count) + " bytes", .uses = {{to, to + item * count}}, .run = run});
}

}  // namespace fake
