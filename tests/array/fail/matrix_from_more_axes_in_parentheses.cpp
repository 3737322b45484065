// In parentheses it is not another thing.
// expect first: the expression has more axes than the array: index or reduce it
import tessera;
using namespace tessera;

void reduce(const Array<float, 3>& stack) { Array<float, 2> matrix(stack + 1); }
