// Numbers are not compared with bool.
// expect first: no_common_element_type__write_cast_T
import tessera;
using namespace tessera;

auto same(const Array<float, 1>& a) { return a == true; }
