// Joined element types have a common type.
// expect: the element types have no common type
import tessera;
using namespace tessera;

auto joined(const Array<float, 1>& a, const Array<int, 1>& b) { return concat<0>(a, b); }
