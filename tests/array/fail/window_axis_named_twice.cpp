// A window slides once along an axis.
// expect first: axes in range, each once
import tessera;
using namespace tessera;

auto windows(const Array<float, 2>& a) { return sliding_window<1, -1>(a, {2, 2}); }
