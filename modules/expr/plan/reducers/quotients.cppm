module;
#include <cstddef>
export module tessera.expr:quotients;

// Dividing sums by what they count.
namespace tessera::plan {

/// to[i] = from[i] / divisor for n elements, float or double, by the widest vectors of the CPU at hand: a division takes as long for eight numbers
/// as for two.
template <class T>
void write_quotients(T* to, const T* from, std::ptrdiff_t n, T divisor);

}  // namespace tessera::plan
