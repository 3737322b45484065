// An array of const elements only reads.
// expect first: a const array is read only, and so are its parts and Array<const T, D>
import tessera;
using namespace tessera;

void clear(Array<const float, 2>& fixed) { fixed(0, all) = 0; }
