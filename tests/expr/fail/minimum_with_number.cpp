// A number behind an operand is an axis only if it is an integer.
// expect first: compared_by_maximum_and_minimum
#include <algorithm>
import tessera;
using namespace tessera;

auto cut(const Array<float, 1>& a) { return min(a, 0.5); }
