// Elementwise functions take numbers.
// expect first: it_takes_floating_or_complex_elements__write_cast_float
#include <cmath>
import tessera;
using namespace tessera;

auto wave(const Array<bool, 1>& a) { return sin(a); }
