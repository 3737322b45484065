// The largest complex number is not defined.
// expect first: complex_numbers_have_no_order__compare_abs
#include <complex>
import tessera;
using namespace tessera;

auto largest(const Array<std::complex<float>, 1>& a) { return max(a); }
