// An operation of the user's without CUDA text cannot be part of an expression that is known to be on a GPU.
// expect first: an operation of an expression on a GPU has no CUDA text
import tessera;

struct Halved {
  static float map(float a) { return a / 2; }
};

void halve(const tessera::Array<float, 1, tessera::GpuPlace>& g) { tessera::assign(g, tessera::F<Halved>(g)); }
