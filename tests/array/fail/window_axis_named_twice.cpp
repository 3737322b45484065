// A window slides once along an axis.
// expect: an axis is out of range or named twice
import tessera;
using namespace tessera;

auto windows(const Array<float, 2>& a) { return sliding_window<1, -1>(a, {2, 2}); }
