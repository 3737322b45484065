// Op::map takes two scalars, not one.
// expect first: map_of_Op_cannot_be_called_with_one_scalar_of_each_argument
import tessera;
using namespace tessera;

struct Larger {
  static float map(float a, float b) { return a > b ? a : b; }
};
auto apply(const Array<float, 1>& z) { return F<Larger>(z); }
