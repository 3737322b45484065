// Nor bool with numbers.
// expect first: no_common_element_type__write_cast_T
import tessera;
using namespace tessera;

auto positive(const Array<float, 1>& a) { return (a > 0) == 1; }
