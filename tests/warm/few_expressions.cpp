// A program for ./dev warm: three expressions on GPU 0, each a kernel, and each attempted whatever became of the one before. With "cpu" as its
// argument it launches none, with "fail" it ends badly.
#include <cstdio>
#include <exception>
#include <string_view>

import tessera;

using namespace tessera;

namespace {

template <class Action>
bool attempt(const char* name, const Action& action) {
  try {
    action();
    return true;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return false;
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view wish = count > 1 ? arguments[1] : "";
  if (wish == "fail") {
    std::fputs("this program cannot go on\n", stderr);
    return 3;
  }
  const Place place = wish == "cpu" ? Place(CpuPlace{}) : Place(GpuPlace{0});
  const Array<float, 2> x = zeros<float>(Dim{4, 6}, place);
  bool good = attempt("scaled", [&] { evaluate(x * 2 + 1); });
  good = attempt("rows", [&] { evaluate(sum<1>(x)); }) && good;
  good = attempt("softmax", [&] { evaluate(softmax<1>(x)); }) && good;
  return good ? 0 : 1;
}
