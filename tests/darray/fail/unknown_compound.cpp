// Bits are written by =.
// expect first: no viable overloaded '&='
import tessera;
using namespace tessera;

void mask(DArray& x) { x &= 1; }
