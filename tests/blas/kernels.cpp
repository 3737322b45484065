// The kernels that a BLAS has chosen for the product of this program, for tests/blas/CMakeLists.txt to look at.
#include <cstdio>

import tessera;

int main() {
  using namespace tessera;
  const Array<float, 2> a = ones<float>(Dim{40, 40});
  const Array<float, 2> b = dot(a, a);
  std::printf("%s: %g\n", blas::description(), static_cast<double>(static_cast<float>(b[{0, 0}])));
}
