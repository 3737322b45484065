// Breaks GPU 0 with a sticky error and says what later calls answer.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <utility>

#include "fake_cuda.hpp"
import tessera;

#include "../with_driver/work.hpp"

using namespace tessera;

namespace {

template <class Call>
void attempt(const std::string& name, const Call& call) {
  try {
    call();
    std::cout << name << ": good\n";
  } catch (const DeviceError& error) {
    std::cout << name << ": " << error.what() << '\n';
  }
}

}  // namespace

int main() {
  const GpuPlace gpu{0};
  const work::Ints x(gpu, 8), y(gpu, 8);
  Stream& stream = Stream::current(gpu);
  x.fill(1, stream);
  work::add(y, x, 1, stream, "y = x + 1", {});
  stream.synchronize();
  work::add(y, x, 2, stream, "y = x + 2", {});
  const StreamMark good = stream.mark();
  good.wait();
  fake::break_next_work(700);
  attempt("launch 3", [&] { work::add(y, x, 3, stream, "y = x + 3", {}); });
  attempt("launch 4", [&] { work::add(y, x, 4, stream, "y = x + 4", {}); });
  attempt("wait", [&] { stream.synchronize(); });
  attempt("launch 5", [&] { work::add(y, x, 5, stream, "y = x + 5", {}); });
  attempt("copy", [&] { static_cast<void>(y.read(stream)); });
  attempt("memory", [&] { memory::alloc(gpu, std::ptrdiff_t{40} << 20); });
  attempt("old mark", [&] { good.wait(); });
  attempt("other GPU", [&] {
    const work::Ints z(GpuPlace{1}, 8);
    z.fill(1, Stream::current(GpuPlace{1}));
    synchronize(GpuPlace{1});
  });
  attempt("all", [] { synchronize(); });
}
