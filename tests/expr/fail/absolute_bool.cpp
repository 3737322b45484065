// The magnitude is one of numbers, with the C library in sight as well.
// expect first: bool_has_no_arithmetic
#include <cmath>
#include <cstdlib>
import tessera;
using namespace tessera;

auto size(const Array<bool, 1>& a) { return abs(a); }
