// Step 7: one inner loop over contiguous blocks, compiled for several instruction sets. What is strided is packed first.
#include <array>
#include <cstring>

#include "step.hpp"

// --8<-- [start:plan]
using Operands = std::array<const float*, 2>;  // of the current block, one pointer for each leaf

struct LeafPlan {
  std::size_t leaf;
  [[gnu::always_inline]] float at(const Operands& blocks, std::size_t i) const { return blocks[leaf][i]; }
};

template <class A, class B>
struct SumPlan {
  A a;
  B b;
  [[gnu::always_inline]] float at(const Operands& blocks, std::size_t i) const {
    return a.at(blocks, i) + b.at(blocks, i);
  }
};

template <class A>
struct ScaledPlan {
  float factor;
  A a;
  [[gnu::always_inline]] float at(const Operands& blocks, std::size_t i) const { return factor * a.at(blocks, i); }
};
// --8<-- [end:plan]

// --8<-- [start:kernel]
template <class Plan>
struct Kernel {
  [[gnu::always_inline]] static void body(Plan plan, float* to, Operands blocks, std::size_t n) {
    constexpr std::size_t step = 64;
    std::size_t i = 0;
    for (; i + step <= n; i += step) {
      float block[step];  // a local array can alias nothing, whatever `to` points to
      for (std::size_t k = 0; k < step; ++k) block[k] = plan.at(blocks, i + k);
      std::memcpy(to + i, block, sizeof block);
    }
    for (; i < n; ++i) to[i] = plan.at(blocks, i);
  }

  static void baseline(const Plan& plan, float* to, const Operands& blocks, std::size_t n) {
    body(plan, to, blocks, n);
  }

  [[gnu::target("avx2,fma")]] static void avx2(const Plan& plan, float* to, const Operands& blocks, std::size_t n) {
    body(plan, to, blocks, n);
  }
  [[gnu::target("avx512f,avx512vl,avx2,fma")]] static void avx512(const Plan& plan, float* to, const Operands& blocks,
                                                                  std::size_t n) {
    body(plan, to, blocks, n);
  }

  static auto chosen() {
    if (__builtin_cpu_supports("avx512vl")) return avx512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? avx2 : baseline;
  }
};
// --8<-- [end:kernel]

// --8<-- [start:evaluate]
struct Leaf {
  const float* values;
  std::size_t stride;
};

constexpr std::size_t block_elements = 1024;  // what is packed stays in the first cache

template <class Plan>
void evaluate(const Plan& plan, float* to, const std::array<Leaf, 2>& leaves, std::size_t n) {
  const auto kernel = Kernel<Plan>::chosen();
  float packed[2][block_elements];
  for (std::size_t begin = 0; begin < n; begin += block_elements) {
    const std::size_t count = std::min(block_elements, n - begin);
    Operands blocks{};
    for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      const float* from = leaves[leaf].values + begin * leaves[leaf].stride;
      blocks[leaf] = leaves[leaf].stride == 1 ? from : packed[leaf];
      if (leaves[leaf].stride == 1) continue;
      for (std::size_t i = 0; i < count; ++i) packed[leaf][i] = from[i * leaves[leaf].stride];
    }
    kernel(plan, to + begin, blocks, count);
  }
}
// --8<-- [end:evaluate]

int main() {
  std::vector<float> w = step::weights();
  const std::vector<float> g = step::gradients();
  const float one = 1;
  std::vector<float> shifted(step::count);
  evaluate(SumPlan{LeafPlan{0}, LeafPlan{1}}, shifted.data(), {{{g.data(), 1}, {&one, 0}}}, step::count);
  for (std::size_t i = 0; i < step::count; ++i) {
    if (shifted[i] != g[i] + 1) return step::fail("broadcast", i, double{shifted[i]}, double{g[i]} + 1);
  }

  const ScaledPlan plan{-step::eta, SumPlan{LeafPlan{0}, ScaledPlan{step::lambda, LeafPlan{1}}}};
  const std::array<Leaf, 2> leaves{{{g.data(), 1}, {w.data(), 1}}};
  return step::run("blocks", [&] { return w.data(); }, [&] { evaluate(plan, w.data(), leaves, step::count); });
}
