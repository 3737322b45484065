// Where the place is not known, an element of a const array is its value.
// expect first: expression is not assignable
import tessera;
using namespace tessera;

void set(const Array<float, 1>& fixed) { fixed[0] = 1; }
