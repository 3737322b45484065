// What a mask picks is a copy, which has a function of its own.
// expect first: a mask by compress
import tessera;
using namespace tessera;

auto positive(const Array<float, 1>& a) { return a(a > 0); }
