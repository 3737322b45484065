// Of a matrix, the axis must be named.
// expect: name the one axis to scan along, as in cumulative_sum<0>
import tessera;
using namespace tessera;

auto sums(const Array<float, 2>& a) { return cumulative_sum(a); }
