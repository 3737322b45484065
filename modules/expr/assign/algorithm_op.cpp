module;
#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.schedule;
import tessera.array;

// Submitting algorithms on memory whose type has been forgotten.
namespace tessera {

bool has_buffers(const AlgorithmMemory* to, std::span<const AlgorithmMemory> from) noexcept {
  const auto has_none = [](const AlgorithmMemory& memory) { return memory.buffer == nullptr; };
  return (to == nullptr || to->buffer != nullptr) && !std::ranges::any_of(from, has_none);
}

void submit_erased(const Async& scope, const AlgorithmMemory* to, std::span<const AlgorithmMemory> from,
                   schedule::UnsubmittedOp op) {
  const ScopeOfAssignment here{scope};
  WrittenBuffer written;
  if (to != nullptr) {
    written = {.buffer = to->buffer,
               .memory = to->memory,
               .rewrites = storage::is_all_of(*to->buffer, to->memory),
               .divides = here.divides()};
  }
  AssignmentAccesses accesses(written);
  for (const AlgorithmMemory& read : from) accesses.add(read.memory, read.buffer);
  here.submit(accesses, std::move(op));
}

}  // namespace tessera
