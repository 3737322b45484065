// Indices are integers.
// expect first: indices are integers
import tessera;
using namespace tessera;

auto half(const Array<float, 2>& matrix) { return matrix(0.5); }
