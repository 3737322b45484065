// Integers and floats have no common type.
// expect: the element types have no common type
// expect: write cast<T>
import tessera;
using namespace tessera;

Array<float, 1> total(const Array<int, 1>& counts, const Array<float, 1>& weights) { return counts + weights; }
