// Breaks GPU 0 with a sticky error and says what later calls answer: "driver" lets the fake driver break it, "address" a kernel that writes
// where nothing is.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iostream>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
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

/// y = x + 3, after which the GPU is broken.
void launch_third(bool by_address, const work::Ints& y, const work::Ints& x, device::Stream& stream) {
  if (!by_address) {
    fake::break_next_work(700);
    work::add(y, x, 3, stream, "y = x + 3", {});
    return;
  }
  const work::AddArguments arguments{.y = nullptr, .x = x.data(), .addend = 3, .count = 8};
  device::find_kernel(stream.place(), work::add_text, "a test")
      .launch(stream, 1, 32, 0, std::as_bytes(std::span(&arguments, 1)), "y = x + 3", {});
}

}  // namespace

int main(int count, char** words) {
  const bool by_address = count == 2 && std::string_view(words[1]) == "address";
  const GpuPlace gpu{0};
  const work::Ints x(gpu, 8), y(gpu, 8);
  device::Stream& stream = device::Stream::current(gpu);
  x.fill(1, stream);
  work::add(y, x, 1, stream, "y = x + 1", {});
  stream.synchronize();
  work::add(y, x, 2, stream, "y = x + 2", {});
  const device::StreamMark good = stream.mark();
  good.wait();
  attempt("launch 3", [&] { launch_third(by_address, y, x, stream); });
  attempt("launch 4", [&] { work::add(y, x, 4, stream, "y = x + 4", {}); });
  attempt("wait", [&] { stream.synchronize(); });
  attempt("launch 5", [&] { work::add(y, x, 5, stream, "y = x + 5", {}); });
  attempt("copy", [&] { static_cast<void>(y.read(stream)); });
  attempt("memory", [&] { memory::alloc(gpu, std::ptrdiff_t{40} << 20); });
  attempt("old mark", [&] { good.wait(); });
  attempt("other GPU", [&] {
    if (device_count() < 2) return;
    const work::Ints z(GpuPlace{1}, 8);
    z.fill(1, device::Stream::current(GpuPlace{1}));
    synchronize(GpuPlace{1});
  });
  attempt("all", [] { synchronize(); });
}
