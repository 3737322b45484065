// Floating elements do not become integers unasked.
// expect: the assignment crosses kinds of element types, as float to int does: write cast<T>
import tessera;
using namespace tessera;

void assign_floats(Array<int, 1>& integers, const Array<float, 1>& floats) { integers = floats * 2.0f; }
