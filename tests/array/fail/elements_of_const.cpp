// The parts of a const array are const.
// expect first: a const array is read only, and so are its parts
import tessera;
using namespace tessera;

void clear(const Array<float, 2>& fixed) { fixed(0, all) = 0; }
