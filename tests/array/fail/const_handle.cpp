// A const variable cannot be re-pointed; its elements can be written through a view of it.
// expect: no viable overloaded '='
import tessera;
using namespace tessera;

void repoint(const Array<float, 1>& fixed, const Array<float, 1>& other) { fixed = other; }
