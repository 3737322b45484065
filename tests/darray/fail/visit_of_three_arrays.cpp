// Three arrays have too many combinations of types.
// expect first: too many combinations of types: visit one of the arrays
import tessera;
using namespace tessera;

void visit_three(DArray& x, const DArray& y, const DArray& z) {
  visit([]<class T, int D>(Array<T, D>& a, const Array<T, D>& b, const Array<T, D>& c) { a = b + c; }, x, y, z);
}
