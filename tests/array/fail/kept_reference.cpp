// auto keeps an element itself, which is not what it was when it is written over.
// expect first: write float t = a\[0\], not auto t = a\[0\]
import tessera;
using namespace tessera;

void exchange(Array<float, 1>& a) {
  auto t = a[0];
  a[0] = float(a[1]);
  a[1] = t;
}
