// A position along two axes would be a pair.
// expect: a position is along one axis, or among all elements
import tessera;
using namespace tessera;

auto where_most(const Array<float, 3>& a) { return argmax<0, 1>(a); }
