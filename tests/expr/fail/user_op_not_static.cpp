// Op::map is called without an object.
// expect: F<Op> needs a static function Op::map: this one is not static
import tessera;
using namespace tessera;

struct Scaled {
  float map(float a) const { return a * factor; }
  float factor = 2;
};
auto apply(const Array<float, 1>& z) { return F<Scaled>(z); }
