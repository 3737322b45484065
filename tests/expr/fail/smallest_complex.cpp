// There is no smallest complex number along an axis either.
// expect first: complex_numbers_have_no_order
#include <complex>
import tessera;
using namespace tessera;

auto smallest(const Array<std::complex<float>, 2>& a) { return min(a, 1); }
