// Complex numbers cannot be sorted.
// expect first: complex_numbers_have_no_order__compare_abs
#include <complex>
import tessera;
using namespace tessera;

auto sorted(const Array<std::complex<float>, 1>& a) { return sort(a); }
