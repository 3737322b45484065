// Quantiles are along one axis, or of all elements.
// expect: along one axis, or among all elements
import tessera;
using namespace tessera;

auto middle(const Array<float, 3>& a) { return median<0, 1>(a); }
