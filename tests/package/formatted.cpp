// Formats an array by {fmt}, with the package's header.
#include <tessera/fmt.hpp>

import tessera;

int main() {
  const tessera::Array<double, 1> a{1.0, 2.5};
  const std::string text = fmt::format("{:.2f}", a * 2);
  fmt::print("{}\n", text);
  return text == "[2.00 5.00]" ? 0 : 1;
}
