// There is no nearest integer to a complex number.
// expect first: complex_numbers_have_no_order
#include <complex>
import tessera;
using namespace tessera;

auto nearest(const Array<std::complex<float>, 1>& z) { return round(z); }
