module;
#include <cstddef>
export module tessera.collective:few;
import tessera.standard;
import :combine;
import :agreement;
import :operation;

// What reductions do with few elements: everything goes to everybody, beside what the ranks say where they share a host.
namespace tessera::collective {

/// Whether everything goes to everybody: one exchange instead of two.
bool are_few(const Operation& operation);

/// Shows what there is to all, if that is few. What lies on GPUs does not come to the host to be shown.
Agreement agreement_on_few(Operation& operation);

/// Combines `count` elements of all leaves of a tree.
void combine_all(const Operation& operation, std::span<const Partial> leaves, std::ptrdiff_t count, void* to);

}  // namespace tessera::collective
