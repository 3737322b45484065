// Positions are integers.
// expect first: indices_are_a_vector_of_integers
import tessera;
using namespace tessera;

auto picked(const Array<float, 1>& a) { return take(a, a); }
