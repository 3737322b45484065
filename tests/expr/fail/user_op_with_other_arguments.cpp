// Op::map takes two scalars, not one.
// expect: Op::map cannot be called with one scalar of each argument
import tessera;
using namespace tessera;

struct Larger {
  static float map(float a, float b) { return a > b ? a : b; }
};
auto apply(const Array<float, 1>& z) { return F<Larger>(z); }
