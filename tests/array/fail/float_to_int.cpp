// Floating elements do not become integers unasked.
// expect first: only floats narrow by themselves, write cast<T>
import tessera;
using namespace tessera;

void assign_floats(Array<int, 1>& integers, const Array<float, 1>& floats) { integers = floats * 2.0f; }
