// Calls of the library of CUDA kernels: what they hand over, what they make of errors, and what they say without it.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

import tessera;

using namespace tessera;
using device_kernels::Target;

namespace {

/// Memory for temporaries that knows what is out, with the size and stream it was asked for with.
struct Ledger {
  std::map<void*, std::pair<std::size_t, void*>> out;
  int taken = 0;
  int mismatches = 0;
  bool is_empty = false;

  static void* allocate(void* context, std::size_t bytes, void* stream) {
    auto& ledger = *static_cast<Ledger*>(context);
    if (ledger.is_empty) return nullptr;
    void* const memory = std::malloc(bytes);
    ledger.out[memory] = {bytes, stream};
    ++ledger.taken;
    return memory;
  }
  static void free(void* context, void* memory, std::size_t bytes, void* stream) {
    auto& ledger = *static_cast<Ledger*>(context);
    const auto found = ledger.out.find(memory);
    if (found == ledger.out.end() || found->second != std::pair{bytes, stream}) ++ledger.mismatches;
    ledger.out.erase(memory);
    std::free(memory);
  }

  Target target(void* stream) { return {.stream = stream, .context = this, .allocate = allocate, .free = free}; }
};

int some_stream = 0;

template <class Error, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_SUITE("fake") {
  TEST_CASE("each family gets its operands, and gives temporaries back as it took them") {
    Ledger ledger;
    const Target target = ledger.target(&some_stream);
    const std::vector<float> numbers{3, 1, 2, 6, 4, 5};
    std::vector<float> sorted(6);
    device_kernels::sort({DType::float32, false, 2, 3, numbers.data(), sorted.data()}, target);
    CHECK(sorted == std::vector<float>{1, 2, 3, 4, 5, 6});
    device_kernels::sort({DType::float32, true, 1, 6, numbers.data(), sorted.data()}, target);
    CHECK(sorted == std::vector<float>{6, 5, 4, 3, 2, 1});

    const std::vector<std::int16_t> small{30, -1, 7};
    std::vector<std::int64_t> positions(3);
    device_kernels::argsort({DType::int16, false, 1, 3, small.data(), positions.data()}, target);
    CHECK(positions == std::vector<std::int64_t>{1, 2, 0});
    device_kernels::argsort({DType::int16, true, 1, 3, small.data(), positions.data()}, target);
    CHECK(positions == std::vector<std::int64_t>{0, 2, 1});

    const std::vector<double> terms{1, 2, 3, 4};
    std::vector<double> totals(4);
    device_kernels::scan({DType::float64, false, 2, 2, terms.data(), totals.data()}, target);
    CHECK(totals == std::vector<double>{1, 3, 3, 7});
    device_kernels::scan({DType::float64, true, 1, 4, terms.data(), totals.data()}, target);
    CHECK(totals == std::vector<double>{1, 2, 6, 24});

    const std::vector<std::uint8_t> bytes{5, 6, 7, 8};
    const bool mask[] = {true, false, false, true};
    std::vector<std::uint8_t> picked(4);
    std::int64_t count = 0;
    device_kernels::select({DType::uint8, 4, bytes.data(), mask, picked.data(), &count}, target);
    CHECK(count == 2);
    CHECK(picked == std::vector<std::uint8_t>{5, 8, 0, 0});

    CHECK(ledger.taken == 7);
    CHECK(ledger.mismatches == 0);
    CHECK(ledger.out.empty());
  }

  TEST_CASE("what the library reports becomes our errors") {
    Ledger ledger;
    std::vector<float> numbers{1, 2};
    const device_kernels::Sort call{DType::float32, false, 1, 2, numbers.data(), numbers.data()};
    const auto cuda = message_of<DeviceError>([&] { device_kernels::sort(call, ledger.target(nullptr)); });
    CHECK(contains(cuda, "sort: cudaErrorInvalidResourceHandle: no stream"));
    auto other = call;
    other.dtype = DType::bfloat16;
    const auto type = message_of<DTypeError>([&] { device_kernels::argsort(other, ledger.target(&some_stream)); });
    CHECK(contains(type, "argsort: there is no CUDA kernel for bfloat16"));
    ledger.is_empty = true;
    const auto memory = message_of<OutOfMemory>([&] { device_kernels::sort(call, ledger.target(&some_stream)); });
    CHECK(contains(memory, "no memory for temporaries"));
    CHECK(device_kernels::has_kernels());
    CHECK(contains(device_kernels::kernels_library(), "fake_kernels"));
  }
}

TEST_SUITE("missing") {
  TEST_CASE("without the library, a call says where it was looked for and what to do") {
    Ledger ledger;
    CHECK(!device_kernels::has_kernels());
    const auto message = message_of<DeviceError>(
        [&] { device_kernels::sort({DType::float32, false, 0, 0, nullptr, nullptr}, ledger.target(&some_stream)); });
    CHECK(contains(message, "the library of CUDA kernels was not found; looked for nowhere.so"));
    CHECK(contains(message, "TESSERA_CUDA_KERNELS"));
  }
}

TEST_SUITE("compiled") {
  TEST_CASE("the compiled library loads anywhere, and says what CUDA says where there is no GPU") {
    Ledger ledger;
    REQUIRE(device_kernels::has_kernels());
    if (device_count() > 0) return;  // there, the tests on a GPU call it
    std::vector<double> numbers{2, 1};
    std::vector<double> result(2);
    const Target target = ledger.target(nullptr);
    const void* const from = numbers.data();
    const auto check = [&](const auto& action) {
      const auto message = message_of<DeviceError>(action);
      CAPTURE(message);
      CHECK((contains(message, "cudaErrorInsufficientDriver") || contains(message, "cudaErrorNoDevice")));
    };
    check([&] { device_kernels::sort({DType::float64, false, 1, 2, from, result.data()}, target); });
    check([&] { device_kernels::sort({DType::float16, true, 100, 2, from, result.data()}, target); });
    check([&] { device_kernels::argsort({DType::int32, true, 1, 2, from, result.data()}, target); });
    check([&] { device_kernels::scan({DType::complex64, false, 1, 1, from, result.data()}, target); });
    check([&] { device_kernels::scan({DType::int8, false, 1, 100000, from, result.data()}, target); });
    check([&] { device_kernels::select({DType::float64, 2, from, nullptr, result.data(), nullptr}, target); });
    CHECK(ledger.mismatches == 0);
    CHECK(ledger.out.empty());
    CHECK(result == std::vector<double>{0, 0});
  }

  TEST_CASE("types without an order are refused before anything is done") {
    Ledger ledger;
    const auto message = message_of<DTypeError>(
        [&] { device_kernels::sort({DType::complex64, false, 1, 2, nullptr, nullptr}, ledger.target(nullptr)); });
    CHECK(contains(message, "there is no CUDA kernel for complex64"));
    CHECK(ledger.taken == 0);
  }

  TEST_CASE("rows without elements need no GPU") {
    Ledger ledger;
    device_kernels::sort({DType::float32, false, 5, 0, nullptr, nullptr}, ledger.target(nullptr));
    device_kernels::argsort({DType::bfloat16, true, 0, 3, nullptr, nullptr}, ledger.target(nullptr));
    device_kernels::scan({DType::boolean, false, 0, 0, nullptr, nullptr}, ledger.target(nullptr));
    CHECK(ledger.taken == 0);
  }
}
