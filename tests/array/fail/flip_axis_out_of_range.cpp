// Axes of flip are checked by the compiler.
// expect first: axes in range, each once
import tessera;
using namespace tessera;

auto flipped(const Array<float, 2>& a) { return flip<2>(a); }
