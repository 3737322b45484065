// Indices are whole numbers.
// expect first: no known conversion from 'double' to
import tessera;
using namespace tessera;

auto half(const DArray& x) { return x(0.5); }
