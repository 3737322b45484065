// Of a matrix, the axis must be named.
// expect first: name_the_one_axis__as_in_cumulative_sum_0
import tessera;
using namespace tessera;

auto sums(const Array<float, 2>& a) { return cumulative_sum(a); }
