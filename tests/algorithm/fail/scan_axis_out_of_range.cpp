// A vector has no axis 1.
// expect first: an_axis_is_out_of_range
import tessera;
using namespace tessera;

auto sums(const Array<float, 1>& a) { return cumulative_sum<1>(a); }
