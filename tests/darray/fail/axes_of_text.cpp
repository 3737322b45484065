// Axes are numbers.
// expect first: no known conversion from 'const char.5.' to
import tessera;
using namespace tessera;

auto total(const DArray& x) { return sum(x, "rows"); }
