// The joined axis exists.
// expect first: an_axis_is_out_of_range
import tessera;
using namespace tessera;

auto joined(const Array<float, 2>& a) { return concat<2>(a, a); }
