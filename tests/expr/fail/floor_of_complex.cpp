// There is no integer below a complex number.
// expect first: complex_numbers_have_no_order
#include <complex>
import tessera;
using namespace tessera;

auto below(const Array<std::complex<float>, 1>& z) { return floor(z); }
