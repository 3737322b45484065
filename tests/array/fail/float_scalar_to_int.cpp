// A floating scalar does not become an integer unasked either.
// expect first: only floats narrow by themselves, write cast<T>
import tessera;
using namespace tessera;

void assign_half(Array<int, 1>& integers) { integers = 0.5; }
