// Indices are integers.
// expect first: indices are arrays of integers and masks of bool, which name no more axes than there are
import tessera;
using namespace tessera;

auto picked(const Array<float, 2>& x, const Array<float, 1>& at) { return x(at, all); }
