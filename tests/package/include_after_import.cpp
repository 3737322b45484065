// Includes headers below the import, those among them whose names the library's interfaces use, and uses both together.
import tessera;

#include <algorithm>
#include <array>
#include <chrono>
#include <complex>
#include <coroutine>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <tuple>
#include <variant>
#include <vector>

int main() {
  using namespace tessera;

  std::vector<std::complex<float>> numbers(3, {1.0f, 2.0f});
  std::ranges::sort(numbers, {}, [](auto z) { return std::norm(z); });
  Array<std::complex<float>, 1> a = make_array(numbers, CpuPlace{});
  a = a * std::complex<float>(2.0f);

  const auto shared = std::make_shared<std::map<std::string, std::array<int, 2>>>();
  (*shared)["pair"] = {3, 4};
  const auto [first, second] = std::tuple_cat(std::tuple((*shared)["pair"][0]), std::tuple(4));

  std::ostringstream text;
  text << Dim{first, second} << ' ' << a[{1}];
  std::cout << text.str() << '\n';
  return text.str() == "(3, 4) (2,4)" ? 0 : 1;
}
