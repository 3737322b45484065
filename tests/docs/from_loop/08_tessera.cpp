// Step 8: the library. The same line, on arrays that share their storage, with broadcasting, checks, threads and everything else.
#include "step.hpp"

import tessera;

using namespace tessera;

// --8<-- [start:tessera]
void update(Array<float, 1>& w, const Array<float, 1>& g, float eta, float lambda) { w = -eta * (g + lambda * w); }
// --8<-- [end:tessera]

int main() {
  set_num_threads(1);  // as the other steps
  Array<float, 1> w = make_array(step::weights(), CpuPlace{});
  const Array<float, 1> g = make_array(step::gradients(), CpuPlace{});
  return step::run("tessera", [&] { return w.data(); }, [&] { update(w, g, step::eta, step::lambda); });
}
