// There is no nearest integer to a complex number.
// expect: the function takes ordered numbers, which complex numbers are not
#include <complex>
import tessera;
using namespace tessera;

auto nearest(const Array<std::complex<float>, 1>& z) { return round(z); }
