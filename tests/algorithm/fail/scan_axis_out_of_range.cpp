// A vector has no axis 1.
// expect: the axis is out of range
import tessera;
using namespace tessera;

auto sums(const Array<float, 1>& a) { return cumulative_sum<1>(a); }
