// Indices are integers.
// expect first: one vector of integers picks along an axis; a mask by compress
import tessera;
using namespace tessera;

auto picked(const Array<float, 2>& x, const Array<float, 1>& at) { return x(at, all); }
