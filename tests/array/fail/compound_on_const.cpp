// A const array is read only for += as well.
// expect first: a_const_array_is_read_only
import tessera;
using namespace tessera;

void add(const Array<float, 1>& fixed) { fixed += 1; }
