// Handles and elements: what an assignment re-points and what it writes.
#include "support.hpp"

using namespace tessera;
using namespace support;

TEST_CASE("= gives a name a value, and a view on the left writes elements") {
  // --8<-- [start:handles]
  Array<float, 1> a = make_array<float>({1, 2});
  Array<float, 1> b = make_array<float>({3, 4});
  const Array<float, 1> first = a;
  a = b;  // two names for b's elements; `first` keeps the old ones
  CHECK(a.data() == b.data());
  CHECK(first[{0}] == 1.0f);
  a(all) = 9;  // elements, which b sees too
  CHECK(b[{0}] == 9.0f);
  a = b + 1;  // a value for a alone
  CHECK(b[{0}] == 9.0f);
  CHECK(first[{0}] == 1.0f);
  // --8<-- [end:handles]
}

TEST_CASE("assigning an expression to an empty array allocates it") {
  Array<double, 2> a;
  CHECK_FALSE(a.has_storage());
  a = ones<double>(Dim{2, 1}) + ones<double>(Dim{1, 3});
  CHECK(a.shape() == Dim{2, 3});
  CHECK(array_equal(a, full(Dim{2, 3}, 2.0)));
}

TEST_CASE("an empty array cannot take an expression of lower rank or a scalar") {
  Array<double, 2> a;
  auto message = message_of<ShapeError>([&] { a(ellipsis) = ones<double>(Dim{3}) * 2; });
  CHECK(contains(message, "assignment"));
  CHECK(contains(message, "no storage"));
  CHECK(contains(message, "(3,)"));
  CHECK(contains(message_of<ShapeError>([&] { a = 1.0; }), "no storage"));
  CHECK(contains(message_of<ShapeError>([&] { a += 1.0; }), "no storage"));
}

TEST_CASE("views are operands and destinations without a reference count") {
  std::vector<float> storage{1, 2, 3, 4, 5, 6};
  const ArrayView<float, 2> view = make_view(storage.data(), Dim{2, 3});
  const auto live = memory::stats(CpuPlace{}).live;
  view = view * 10 + make_view(storage.data(), Dim{3});
  CHECK(storage == std::vector<float>{11, 22, 33, 41, 52, 63});
  view.T()(2, all) += 1;
  CHECK(storage == std::vector<float>{11, 22, 34, 41, 52, 64});
  CHECK(memory::stats(CpuPlace{}).live == live);
}

TEST_CASE("compound assignment computes in place, and widens by nothing") {
  Array<float, 1> a = make_array<float>({1, 2, 4});
  const float* data = a.data();
  a += 1;
  a *= a;
  a -= make_array<float>({0, 1, 5});
  a /= 2.0;
  CHECK(array_equal(a, make_array<float>({2, 4, 10})));
  CHECK(a.data() == data);
}
