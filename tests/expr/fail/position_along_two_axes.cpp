// A position along two axes would be a pair.
// expect first: a_position_is_along_one_axis_or_among_all_elements
import tessera;
using namespace tessera;

auto where_most(const Array<float, 3>& a) { return argmax<0, 1>(a); }
