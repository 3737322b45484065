// Each index array names an axis.
// expect first: arrays of integers and masks pick, along no more axes than there are
import tessera;
using namespace tessera;

auto picked(const Array<float, 2>& x, const Array<int, 1>& at) { return x(at, at, at); }
