// Complex numbers have no order.
// expect first: complex_numbers_have_no_order__compare_abs
#include <complex>
import tessera;
using namespace tessera;

auto below(const Array<std::complex<float>, 1>& a, const Array<std::complex<float>, 1>& b) { return a < b; }
