// Nor is it read when it has been named.
// expect first: write float t = a\[0\] instead of auto t = a\[0\]
import tessera;
using namespace tessera;

float best(Array<float, 1>& a) {
  auto t = a[0];
  return t;
}
