// An array of rank 0 cannot be sorted.
// expect first: a_scalar_has_no_axis
import tessera;
using namespace tessera;

auto sorted(const Array<float, 0>& a) { return sort(a); }
