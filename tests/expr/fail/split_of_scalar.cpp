// A scalar has no axis to split along.
// expect: no matching function for call to 'split'
// expect: a scalar has no axis
import tessera;
using namespace tessera;

auto parts(const Array<float, 0>& a) { return split(a, 2); }
