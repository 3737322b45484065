// && asks for one truth value, of which an array has several.
// expect first: && asks for one truth value: write a & b for elements
import tessera;
using namespace tessera;

auto both(const DArray& x, const DArray& y) { return x > 1 && y > 1; }
