// erf is defined here for real elements only.
// expect first: it_takes_floating_elements__write_cast_float
#include <complex>
import tessera;
using namespace tessera;

auto errors(const Array<std::complex<float>, 1>& z) { return erf(z); }
