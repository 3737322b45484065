// A matrix is made of what has two axes.
// expect first: an expression has the rank of the array
import tessera;
using namespace tessera;

void reduce(const Array<float, 3>& stack) { Array<float, 2> matrix = stack + 1; }
