// The small classes of Tessera once more, for debuggers alone: clang describes a class of a module neither where the module is compiled nor
// where it is imported. A debugger that meets a class without a description takes that of a class with the same name.
#include <array>
#include <cstddef>
#include <cstdint>

namespace tessera {
#include "types.inc"
}  // namespace tessera

// clang 22 leaves out the namespace of a class that belongs to a module.
#include "types.inc"

namespace {
[[gnu::used]] void describe(tessera::Described, Described) {}
}  // namespace
