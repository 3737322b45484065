// The branches of where have a common type.
// expect: the two branches have no common type: write cast<T>
import tessera;
using namespace tessera;

auto choose(const Array<bool, 1>& which, const Array<float, 1>& a, const Array<int, 1>& b) {
  return where(which, a, b);
}
