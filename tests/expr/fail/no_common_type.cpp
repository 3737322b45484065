// Integers and floats have no common type.
// expect first: no_common_element_type__write_cast_T
import tessera;
using namespace tessera;

Array<float, 1> total(const Array<int, 1>& counts, const Array<float, 1>& weights) { return counts + weights; }
