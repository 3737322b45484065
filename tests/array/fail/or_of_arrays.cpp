// || asks for one truth value.
// expect first: \|\| asks for one truth value: write a \| b for elements
import tessera;
using namespace tessera;

auto either(const Array<bool, 1>& a, bool b) { return b || a; }
