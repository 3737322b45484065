// The axis of vecdot counts from the end.
// expect first: the_axis_counts_from_the_end
import tessera;
using namespace tessera;

auto products(const Array<float, 2>& a) { return vecdot<1>(a, a); }
