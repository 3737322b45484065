// The largest complex number is not defined.
// expect: complex numbers have no order
#include <complex>
import tessera;
using namespace tessera;

auto largest(const Array<std::complex<float>, 1>& a) { return max(a); }
