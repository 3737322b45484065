// A view takes elements of its kind.
// expect first: only floats narrow by themselves, write cast<T>
import tessera;
using namespace tessera;

void write(const ArrayView<int, 1>& seen, const Array<float, 1>& floats) { seen = floats; }
