// Complex numbers have no order.
// expect: complex numbers have no order: compare abs
#include <complex>
import tessera;
using namespace tessera;

auto below(const Array<std::complex<float>, 1>& a, const Array<std::complex<float>, 1>& b) { return a < b; }
