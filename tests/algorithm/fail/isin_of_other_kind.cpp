// Floats and integers have no common type.
// expect: the element types have no common one
import tessera;
using namespace tessera;

auto found(const Array<float, 1>& a, const Array<int, 1>& b) { return isin(a, b); }
