// Op::map is called without an object.
// expect first: map_of_Op_is_not_static
import tessera;
using namespace tessera;

struct Scaled {
  float map(float a) const { return a * factor; }
  float factor = 2;
};
auto apply(const Array<float, 1>& z) { return F<Scaled>(z); }
