// An array of rank 0 cannot be sorted.
// expect: a scalar has no axis to sort along
import tessera;
using namespace tessera;

auto sorted(const Array<float, 0>& a) { return sort(a); }
