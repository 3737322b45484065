// A matrix is made of what has two axes.
// expect first: has its rank
import tessera;
using namespace tessera;

void reduce(const Array<float, 3>& stack) { Array<float, 2> matrix = stack + 1; }
