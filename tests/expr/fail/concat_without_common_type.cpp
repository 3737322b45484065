// Joined element types have a common type.
// expect first: no_common_element_type__write_cast_T
import tessera;
using namespace tessera;

auto joined(const Array<float, 1>& a, const Array<int, 1>& b) { return concat<0>(a, b); }
