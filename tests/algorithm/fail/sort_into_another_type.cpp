// Sorted floats cannot be written to an array of integers.
// expect first: the result is an array with elements of x's type
import tessera;
using namespace tessera;

void sort_to(const Array<int, 1>& to, const Array<float, 1>& from) { sort_into(to, from); }
