// An operation on scalars alone makes no expression.
// expect: one argument of F<Op> at least is an array or an expression
import tessera;
using namespace tessera;

struct Twice {
  static float map(float a) { return 2 * a; }
};
auto apply(float z) { return F<Twice>(z); }
