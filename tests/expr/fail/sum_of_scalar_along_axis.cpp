// Rank 0 has no axis.
// expect first: an_axis_is_out_of_range_or_named_twice
import tessera;
using namespace tessera;

auto total(const Array<float, 0>& a) { return sum<0>(a, keepdims); }
