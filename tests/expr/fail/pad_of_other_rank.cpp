// Each axis has its widths.
// expect first: pad takes a pair of widths for each axis
import tessera;
using namespace tessera;

auto padded(const Array<float, 2>& a) { return pad(a, {{1, 1}}, 0); }
