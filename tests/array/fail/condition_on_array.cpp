// An array has no truth value.
// expect first: write any\(x\) or all\(x\)
import tessera;
using namespace tessera;

int sign(const Array<float, 1>& a) {
  if (a > 0) return 1;
  return 0;
}
