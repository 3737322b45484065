// An operation on scalars alone makes no expression.
// expect first: one_argument_at_least_is_an_array_or_an_expression
import tessera;
using namespace tessera;

struct Twice {
  static float map(float a) { return 2 * a; }
};
auto apply(float z) { return F<Twice>(z); }
