// An array is made of elements that fit, as it is assigned them.
// expect first: elements that fit: write cast<T>\(x\)
import tessera;
using namespace tessera;

Array<int, 2> truncated(const Array<float, 2>& a) {
  Array<int, 2> whole = a * 2;
  return whole;
}
