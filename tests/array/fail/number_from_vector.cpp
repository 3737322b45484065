// Only what has rank 0 is a number.
// expect first: only what has rank 0 is a value: index an element, or write sum\(x\)
import tessera;
using namespace tessera;

double total(const Array<double, 1>& a) {
  double s = a * 2;
  return s;
}
