// Indices are integers, in brackets as well.
// expect first: indices are integers
import tessera;
using namespace tessera;

float half(const Array<float, 1>& a) { return a[0.5]; }
