// Complex numbers have no order in which they could be different ones.
// expect: complex numbers have no order
#include <complex>
import tessera;
using namespace tessera;

auto found(const Array<std::complex<float>, 1>& a) { return unique(a); }
