// Places: operands of one expression live on one place; what is known at compile time is checked there.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

template <class A, class B>
concept CanAdd = requires(A a, B b) { a + b; };
template <class A, class B>
concept CanAssign = requires(A a, B b) { a = b + b; };

using Anywhere = Array<float, 1>;
using OnCpu = Array<float, 1, CpuPlace>;
using OnPinned = Array<float, 1, PinnedPlace>;
using OnGpu = Array<float, 1, GpuPlace>;

static_assert(CanAdd<OnCpu, OnCpu> && CanAdd<OnCpu, Anywhere> && CanAdd<Anywhere, OnGpu>);
static_assert(!CanAdd<OnCpu, OnGpu> && !CanAdd<OnCpu, OnPinned> && !CanAdd<OnGpu, OnPinned>);
static_assert(CanAssign<Anywhere, OnGpu> && CanAssign<OnGpu, Anywhere> && !CanAssign<OnCpu, OnGpu>);
static_assert(std::same_as<decltype(std::declval<OnCpu>() + std::declval<Anywhere>())::place_type, CpuPlace>);
static_assert(std::same_as<decltype(std::declval<Anywhere>() + 1)::place_type, Place>);
static_assert(std::same_as<decltype(sum(std::declval<OnCpu>()))::place_type, CpuPlace>);

/// An array that says it is on another host place; the memory is ours.
Anywhere elsewhere(std::vector<float>& values, Place place) {
  const auto count = static_cast<std::ptrdiff_t>(values.size());
  return {storage::BufferShare::make(memory::Allocation::borrow(values.data(), count * 4, place)),
          Layout<1>{.shape = Dim{count}, .strides = {1}}, place};
}
Anywhere pinned(std::vector<float>& values) { return elsewhere(values, PinnedPlace{}); }

}  // namespace

TEST_CASE("static places stay static through expressions") {
  const OnCpu a = full(Dim{3}, 2.0f, CpuPlace{});
  const auto b = evaluate(a * 2 + a);
  static_assert(std::same_as<decltype(b), const OnCpu>);
  CHECK(b[{2}] == 6.0f);
}

TEST_CASE("operands of two places in one expression are a PlaceError that names both") {
  std::vector<float> values{1, 2, 3};
  Anywhere there = pinned(values);
  Anywhere here = full(Dim{3}, 7.0f);
  const auto message = message_of<PlaceError>([&] { here(all) = there + 1; });
  CHECK(contains(message, to_string(Place(PinnedPlace{}))));
  CHECK(contains(message, to_string(Place(CpuPlace{}))));
  CHECK(contains(message, "to(place)"));
  CHECK(contains(message_of<PlaceError>([&] { here = here + there; }), "an operand is on"));
  CHECK(contains(message_of<PlaceError>([&] { here(all) = max(there) + here; }), "an operand is on"));
  CHECK(contains(message_of<PlaceError>([&] { evaluate(dot(ones<float>(Dim{3, 3}), there)); }), "an operand is on"));
  CHECK(contains(message_of<PlaceError>([&] { here(all) = there; }), "an operand is on"));
  CHECK(array_equal(here, full(Dim{3}, 7.0f)));
}

TEST_CASE("expressions on pinned host memory are computed there") {
  std::vector<float> values{1, 2, 3};
  Anywhere there = pinned(values);
  there += 1;
  CHECK(values == std::vector<float>{2, 3, 4});
  there(all) = there * there;
  CHECK(values == std::vector<float>{4, 9, 16});
}

TEST_CASE("a destination on a GPU that is not there is a DeviceError that says so") {
  if (device_count() > 0) return;
  std::vector<float> values{1, 2, 3};
  Anywhere there = elsewhere(values, GpuPlace{0});
  auto message = message_of<DeviceError>([&] { there(all) = 1.0f; });
  CHECK(contains(message, to_string(Place(GpuPlace{0}))));
  CHECK(contains(message, no_device_reason()));
  CHECK(values == std::vector<float>{1, 2, 3});
}
