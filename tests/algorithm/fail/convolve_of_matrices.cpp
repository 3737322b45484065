// Vectors are convolved.
// expect: convolve\(\) takes two vectors
import tessera;
using namespace tessera;

auto filtered(const Array<float, 2>& a) { return convolve(a, a); }
