// Two numbers cannot share the zeros of one width.
// expect: complex elements are not filled with zeros
#include <complex>
#include <tessera/fmt.hpp>
import tessera;

std::string text(const tessera::Array<std::complex<float>, 1>& z) { return fmt::format("{:09.2f}", z); }
