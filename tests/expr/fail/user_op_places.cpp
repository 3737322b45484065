// The arguments of F<Op> are on one place.
// expect first: operands_are_on_different_places
import tessera;
using namespace tessera;

struct Sum {
  static float map(float a, float b) { return a + b; }
};
auto total(const Array<float, 1, CpuPlace>& a, const Array<float, 1, GpuPlace>& b) { return F<Sum>(a, b); }
