module;
#include <cstddef>
#include <span>
module tessera.collective;

// Agreeing on few elements, and combining them.
namespace tessera::collective {

namespace {

/// Bytes of all ranks together that are few. Ranks of one host need no exchange at all for some of these.
constexpr std::ptrdiff_t few_bytes = 32 * 1024;

}  // namespace

bool are_few(const Operation& operation) { return operation.from.bytes() * operation.size() <= few_bytes; }

Agreement agreement_on_few(Operation& operation) {
  if (!are_few(operation) || operation.hopes_for_gpus()) return Agreement(operation.turn());
  return {operation.turn(), operation.sent(), operation.from.bytes()};
}

void combine_all(const Operation& operation, std::span<const Partial> leaves, std::ptrdiff_t count, void* to) {
  combine({.op = operation.note.op,
           .dtype = operation.note.dtype,
           .partials = leaves,
           .begin = 0,
           .end = leaves.back().end,
           .count = count},
          to);
}

}  // namespace tessera::collective
