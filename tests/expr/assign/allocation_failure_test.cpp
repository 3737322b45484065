// Running out of memory: an expression that needs memory of its own throws OutOfMemory and leaves its destination as it was.
#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

/// No more memory than is in blocks now, for the length of a scope.
struct NoMoreMemory {
  NoMoreMemory() {
    memory::trim(CpuPlace{});
    memory::set_limit(CpuPlace{}, memory::stats(CpuPlace{}).allocated);
  }
  NoMoreMemory(const NoMoreMemory&) = delete;
  NoMoreMemory& operator=(const NoMoreMemory&) = delete;
  ~NoMoreMemory() { memory::set_limit(CpuPlace{}, PTRDIFF_MAX); }
};

/// `action` runs out of memory, writes nothing to `destination`, leaks nothing, and succeeds when there is memory again.
template <class T, int Rank, class Action>
void check_failure(const std::string& what, const Array<T, Rank>& destination, const Action& action) {
  INFO(what);
  const Array<T, Rank> before = destination.clone();
  const auto live = memory::stats(CpuPlace{}).live;
  std::string message;
  {
    const NoMoreMemory limit;
    message = message_of<OutOfMemory>(action);
  }
  CHECK(contains(message, "bytes"));
  CHECK(memory::stats(CpuPlace{}).live == live);
  CHECK(array_equal(destination, before));
  action();
  CHECK(!array_equal(destination, before));
}

}  // namespace

TEST_CASE("an aliased assignment that cannot get its temporary changes nothing") {
  for (const std::ptrdiff_t side : {3, 400}) {
    CAPTURE(side);
    const Array<float, 2> a = reshape(arange(static_cast<float>(side * side)), Dim<2>{side, side});
    check_failure("transposed", a, [&] { assign(a, a.T() + 1); });
    check_failure("product with itself", a, [&] { assign(a, dot(a, a)); });
    if (side > 64) check_failure("column sums", a, [&] { assign(a, sum<0>(a, keepdims) + a); });  // few need no pool
  }
}

TEST_CASE("a product with an epilogue that cannot get its tiles changes nothing") {
  const Array<float, 2> x = full(Dim{300, 300}, 0.5f);
  const Array<float, 2> y = ones<float>(Dim{300, 300});
  const Array<float, 2> z = x.clone();
  for (const int threads : {1, 2, 4}) {
    const Threads restore(threads);
    check_failure("epilogue", z, [&] { assign(z, relu(dot(x, y) + z)); });
    check_failure("another type", z, [&] { assign(z, dot(cast<double>(x), cast<double>(y)) * 3 + z); });
    check_failure("operand computed first", z, [&] { assign(z, dot(x + 1, y) + z); });
  }
}

TEST_CASE(
    "threads that find no memory for their tiles or blocks in the middle of an operation do not leave half of it "
    "written") {
  Array<float, 2> x = full(Dim{300, 300}, 0.5f);
  const Array<float, 2> w = ones<float>(Dim{300, 300});
  Array<float, 2> y = zeros<float>(Dim{300, 300});
  const Threads restore(4);
  for (std::ptrdiff_t spare = 0; spare < 1024 * 1024; spare += 32 * 1024) {
    for (const bool product : {true, false}) {
      y(ellipsis) = 1.0f;
      memory::trim(CpuPlace{});
      memory::set_limit(CpuPlace{}, memory::stats(CpuPlace{}).allocated + spare);
      bool done = false;
      try {
        if (product)
          y(ellipsis) = relu(dot(x, w) + y);
        else
          y(ellipsis) = x.T() * 300 + y(all, range(none, none, -1)).T() * 0 + y;
        done = true;
      } catch (const OutOfMemory&) {
      }
      memory::set_limit(CpuPlace{}, PTRDIFF_MAX);
      INFO(spare << " bytes to spare, " << (product ? "product" : "elementwise"));
      CHECK(item(min(y)) == (done ? 151.0f : 1.0f));
      CHECK(item(max(y)) == (done ? 151.0f : 1.0f));
    }
  }
}

TEST_CASE("a new array that does not fit is not made") {
  const Array<float, 1> a = ones<float>(Dim{100000});
  Array<float, 1> b;
  {
    const NoMoreMemory limit;
    CHECK(contains(message_of<OutOfMemory>([&] { b = a + 1; }), "bytes"));
    CHECK_FALSE(b.has_storage());
  }
  b = a + 1;
  CHECK(array_equal(b, full(Dim{100000}, 2.0f)));
}

TEST_CASE("every allocation of an expression fails once: all or nothing, nothing lost") {
  const Array<double, 2> x = ones<double>(Dim{200, 90});
  const Array<double, 2> w = full(Dim{90, 70}, 0.25);
  const Array<double, 2> start = full(Dim{200, 70}, 2.0);
  Array<double, 2> y = start.clone();
  const auto action = [&] { assign(y, relu(dot(x - 1 + max<0>(x), w)) / sum<1>(y, keepdims) + dot(x, w) + y); };
  action();
  const Array<double, 2> expected = y.clone();
  const auto live = memory::stats(CpuPlace{}).live;
  int failures = 0;
  bool done = false;
  for (std::ptrdiff_t spare = 0; !done; spare += 16 * 1024) {
    REQUIRE(spare < 64 * 1024 * 1024);
    y(ellipsis) = start;
    memory::trim(CpuPlace{});
    memory::set_limit(CpuPlace{}, memory::stats(CpuPlace{}).allocated + spare);
    try {
      action();
      done = true;
    } catch (const OutOfMemory&) {
      ++failures;
    }
    memory::set_limit(CpuPlace{}, PTRDIFF_MAX);
    CHECK(array_equal(y, done ? expected : start));
    CHECK(memory::stats(CpuPlace{}).live == live);
  }
  CHECK(failures > 3);
}

TEST_CASE("an operand of rank 0 without storage is refused") {
  const Array<float, 0> nothing;
  Array<float, 1> a = ones<float>(Dim{3});
  CHECK_THROWS_WITH_AS(a = a + nothing, doctest::Contains("an operand of rank 0 has no storage"), ShapeError);
  CHECK(a[{0}] == 1.0f);
}
