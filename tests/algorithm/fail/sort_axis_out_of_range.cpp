// A matrix has no axis 2.
// expect first: an_axis_is_out_of_range
import tessera;
using namespace tessera;

auto sorted(const Array<float, 2>& a) { return sort<2>(a); }
