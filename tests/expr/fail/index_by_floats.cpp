// Indices are integers.
// expect first: arrays of integers and masks pick, along no more axes than there are
import tessera;
using namespace tessera;

auto picked(const Array<float, 2>& x, const Array<float, 1>& at) { return x(at, all); }
