// An integer array meets a fraction by a cast only.
// expect first: no_common_element_type__write_cast_T
import tessera;
using namespace tessera;

auto half(const Array<int, 1>& counts) { return 0.5 * counts; }
