// A mask has no more axes than what it picks from.
// expect first: arrays of integers and masks pick, along no more axes than there are
import tessera;
using namespace tessera;

auto positive(const Array<float, 1>& a, const Array<bool, 2>& mask) { return a(mask); }
