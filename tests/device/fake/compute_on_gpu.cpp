// Squares 1, 2 and 3 on the first GPU and prints them, or the error.
#include <exception>
#include <iostream>
import tessera;

using namespace tessera;

int main() {
  try {
    const Array<float, 1> x = make_array({1.0f, 2.0f, 3.0f}).to(Place(GpuPlace{0}));
    const Array<float, 1> squares = evaluate(x * x);
    std::cout << squares.to(CpuPlace{}) << '\n';
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
  }
}
