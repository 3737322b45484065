// A stranger's program: uses the installed library as the README says, and fails if it computes anything else.
#include <iostream>
import tessera;

int main() {
  using namespace tessera;

  Array<float, 2> a = zeros<float>(Dim{2, 3});
  a = a + 1.0f;
  a[{1, 2}] = 5.0f;
  Array<float, 1> rows = sum<1>(a);
  std::cout << a << '\n' << rows << '\n';

  const float first = rows[{0}];
  const float second = rows[{1}];
  return first == 3.0f && second == 7.0f ? 0 : 1;
}
