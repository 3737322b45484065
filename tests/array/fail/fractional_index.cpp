// Indices are integers.
// expect: does not satisfy 'Indexer'
import tessera;
using namespace tessera;

auto half(const Array<float, 2>& matrix) { return matrix(0.5); }
