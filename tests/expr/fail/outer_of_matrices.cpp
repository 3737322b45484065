// outer takes vectors.
// expect first: outer_takes_two_vectors
import tessera;
using namespace tessera;

auto products(const Array<float, 2>& a) { return outer(a, a); }
