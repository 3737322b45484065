// Complex numbers cannot be sorted.
// expect: complex numbers have no order
#include <complex>
import tessera;
using namespace tessera;

auto sorted(const Array<std::complex<float>, 1>& a) { return sort(a); }
