// An array of const elements is read only for *= as well.
// expect first: a_const_array_is_read_only
import tessera;
using namespace tessera;

void scale(Array<const float, 1>& fixed) { fixed *= 2; }
