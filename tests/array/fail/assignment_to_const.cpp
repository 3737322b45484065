// A const array takes no other value.
// expect first: a const array is read only
import tessera;
using namespace tessera;

void change(const Array<float, 1>& fixed, const Array<float, 1>& other) { fixed = other * 2; }
