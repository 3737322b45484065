// Tests of the pool behind arrays.
#include <doctest/doctest.h>

import tessera;

using namespace tessera;

TEST_CASE("arrays take their memory from the pool of their place and give it back") {
  const memory::Stats before = memory::stats(CpuPlace{});
  {
    const Array<float, 2> a(Dim{10, 20});
    const auto view = a(0, ellipsis);
    CHECK(memory::used(CpuPlace{}) == before.in_use + 800);
  }
  CHECK(memory::used(CpuPlace{}) == before.in_use);
  CHECK(memory::stats(CpuPlace{}).live == before.live);
}
