// Axis -1 of a matrix is its axis 1.
// expect: a reduced axis is out of range or named twice
import tessera;
using namespace tessera;

auto total(const Array<float, 2>& a) { return mean<1, -1>(a, keepdims); }
