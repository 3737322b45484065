// Axes of a dynamic array are arguments.
// expect first: no matching function for call to 'sum'
import tessera;
using namespace tessera;

auto rows(const DArray& x) { return sum<1>(x); }
