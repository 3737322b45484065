// Integers are never NaN.
// expect: the function takes floating elements
import tessera;
using namespace tessera;

auto total(const Array<int, 1>& a) { return nansum(a); }
