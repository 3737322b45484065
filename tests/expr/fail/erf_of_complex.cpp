// erf is defined here for real elements only.
// expect: the function takes floating elements: write cast<float>
#include <complex>
import tessera;
using namespace tessera;

auto errors(const Array<std::complex<float>, 1>& z) { return erf(z); }
