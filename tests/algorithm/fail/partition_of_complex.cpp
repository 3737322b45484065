// Complex numbers have no order but for sort().
// expect: complex numbers have no order
#include <complex>
import tessera;
using namespace tessera;

auto parted(const Array<std::complex<float>, 1>& a) { return partition(a, 0); }
