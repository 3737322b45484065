// A mask has the axes of what it picks from.
// expect first: a_mask_has_as_many_axes
import tessera;
using namespace tessera;

auto picked(const Array<bool, 1>& mask, const Array<float, 2>& a) { return compress(mask, a); }
