// A const dynamic array is read only.
// expect first: has type 'const DArray', but method is not marked const
import tessera;
using namespace tessera;

void fill(const DArray& fixed) { fixed = 1; }
