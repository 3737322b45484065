// Axis -1 of a matrix is its axis 1.
// expect first: an_axis_is_out_of_range_or_named_twice
import tessera;
using namespace tessera;

auto total(const Array<float, 2>& a) { return mean<1, -1>(a, keepdims); }
