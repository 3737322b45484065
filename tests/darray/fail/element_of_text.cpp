// An element is a number.
// expect first: no known conversion from 'const char.5.' to 'const DValue'
import tessera;
using namespace tessera;

void set_first(DArray& x) { x[{0}] = "text"; }
