// A floating scalar does not become an integer unasked either.
// expect: the assignment crosses kinds of element types, as float to int does: write cast<T>
import tessera;
using namespace tessera;

void assign_half(Array<int, 1>& integers) { integers = 0.5; }
