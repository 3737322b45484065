// Step 1: the loop that everything else is measured against.
#include "step.hpp"

// --8<-- [start:loop]
[[gnu::noinline]] void update(std::vector<float>& w, const std::vector<float>& g, float eta, float lambda) {
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = -eta * (g[i] + lambda * w[i]);
}
// --8<-- [end:loop]

int main() {
  std::vector<float> w = step::weights();
  const std::vector<float> g = step::gradients();
  return step::run("loop", [&] { return w.data(); }, [&] { update(w, g, step::eta, step::lambda); });
}
