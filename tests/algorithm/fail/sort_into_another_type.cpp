// Sorted floats cannot be written to an array of integers.
// expect: the result has elements of another type
import tessera;
using namespace tessera;

void sort_to(const Array<int, 1>& to, const Array<float, 1>& from) { sort_into(to, from); }
