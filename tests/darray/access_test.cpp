// Tests of the ways from dynamic arrays to static ones: get, get_if, holds, visit and visit_dtype.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>

#include "support.hpp"

using namespace tessera;
using namespace darrays;

TEST_CASE("get is the array that is held, itself") {
  DArray x = make_darray({2, 3}, 0.f);
  auto& a = get<Array<float, 2>>(x);
  a(0, 1) = 4.f;
  CHECK(float(x[{0, 1}]) == 4.f);
  a = ones<float>(Dim{5, 5});
  CHECK(x.shape() == make_ddim({5, 5}));
  CHECK(holds<Array<float, 2>>(x));
  CHECK(!holds<Array<float, 1>>(x));
  CHECK(!holds<Array<const float, 2>>(x));
  CHECK(get_if<Array<double, 2>>(&x) == nullptr);
  CHECK(get_if<Array<float, 2>>(&x) == &a);
}

TEST_CASE("get of another array says what it is") {
  DArray x = make_darray({2, 3}, 0.f);
  CHECK_THROWS_WITH_AS(static_cast<void>(get<Array<double, 2>>(x)),
                       "get: Array<float64, 2> was asked for, the array is Array<float32, 2> (2, 3) on cpu; "
                       "x.cast(dtype) converts the elements, visit(f, x) takes any",
                       DTypeError);
  CHECK_THROWS_AS(static_cast<void>(get<Array<float, 3>>(x)), ShapeError);
}

TEST_CASE("visit calls the function with the static array, for every type and rank") {
  for (int type = 0; type < dtype_count; ++type) {
    for (int rank = 0; rank <= max_rank; ++rank) {
      const std::vector<std::ptrdiff_t> shape(static_cast<std::size_t>(rank), 1);
      DArray x(DDim(shape), static_cast<DType>(type));
      const auto [seen_type, seen_rank] = visit(
          [](auto& array) {
            using A = std::remove_reference_t<decltype(array)>;
            return std::pair(static_cast<int>(dtype_of<typename A::value_type>), A::rank);
          },
          x);
      CHECK(seen_type == type);
      CHECK(seen_rank == rank);
    }
  }
}

TEST_CASE("a visited array is the one that is held, and a const one cannot be written") {
  DArray x = make_darray({3}, 1);
  visit(
      []<class A>(A& array) {
        if constexpr (std::is_same_v<A, Array<int, 1>>) array(0) = 5;
      },
      x);
  CHECK(int(x[{0}]) == 5);
  const DArray& seen = x;
  CHECK(visit([](auto& array) { return std::is_const_v<std::remove_reference_t<decltype(array)>>; }, seen));
  const DArray reads = x.as_read_only();
  CHECK(visit([](const auto& array) { return array.size(); }, reads) == 3);
  DArray not_const = reads;
  CHECK_THROWS_AS(visit([](auto& array) { return array.size(); }, not_const), DTypeError);
}

TEST_CASE("several arrays are visited at once; what does not go together is named") {
  DArray x = make_darray({{1., 2.}, {3., 4.}}), y = make_darray({{10., 20.}, {30., 40.}});
  const auto add_to = []<class T, int D>(Array<T, D>& to, const Array<T, D>& from) { to += from; };
  if constexpr (false) add_to(get<Array<double, 2>>(x), get<Array<double, 2>>(y));
  const auto total = []<class T, int D>(const Array<T, D>& a, const Array<T, D>& b) -> std::ptrdiff_t {
    return a.size() + b.size();
  };
  CHECK(visit(total, std::as_const(x), std::as_const(y)) == 8);
  const DArray other = make_darray({1, 2});
  CHECK_THROWS_WITH_AS(visit(total, std::as_const(x), other),
                       "visit: the function does not take Array<float64, 2> (2, 2) on cpu with Array<int32, 1> (2,) on "
                       "cpu; convert or reshape one of them: "
                       "x.cast(dtype), x.reshape({...})",
                       DTypeError);
}

TEST_CASE("shapes and values are visited beside arrays") {
  const DArray x = arange(DType::int32, 0, 6);
  const auto reshaped = []<int To>(const Array<int, 1>& array, const Dim<To>& shape) -> DArray {
    return reshape(array, shape);
  };
  CHECK(visit(reshaped, x, make_ddim({2, 3})).shape() == make_ddim({2, 3}));
  const auto count = []<class T>(const Array<T, 1>& array, const T& value) -> std::ptrdiff_t {
    return std::count(array.begin(), array.end(), value);
  };
  CHECK(visit(count, x, DValue(3)) == 1);
  CHECK_THROWS_WITH_AS(visit(count, x, DValue(3.5)),
                       "visit: the function does not take Array<int32, 1> (6,) on cpu with the value 3.5 (float64); "
                       "convert or reshape one of "
                       "them: x.cast(dtype), x.reshape({...})",
                       DTypeError);
}

TEST_CASE("the arguments of a visit decide together, in every combination that the function takes") {
  const auto sizes = []<class T, class U>(const Array<T, 1>&, const Array<U, 1>&) {
    return std::pair<std::ptrdiff_t, std::ptrdiff_t>(sizeof(T), sizeof(U));
  };
  for (int first = 0; first < dtype_count; ++first) {
    for (int second = 0; second < dtype_count; ++second) {
      const DArray a(make_ddim({1}), static_cast<DType>(first)), b(make_ddim({1}), static_cast<DType>(second));
      CHECK(visit(sizes, a, b) == std::pair(item_size(a.dtype()), item_size(b.dtype())));
      CHECK_THROWS_AS(visit(sizes, a, b.reshape({1, 1})), DTypeError);
    }
  }
}

TEST_CASE("results of many combinations and several types become one") {
  const auto rank_or_half = []<int D>(const Array<float, 2>&, const Dim<D>&, const auto& value) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>) {
      return D;
    } else {
      return D / 2.0;
    }
  };
  const DArray x = make_darray({{1.f}});
  const DValue whole = visit(rank_or_half, x, make_ddim({1, 1, 1}), DValue(2)),
               half = visit(rank_or_half, x, make_ddim({1, 1, 1}), DValue(2.f));
  CHECK(whole == DValue(3));
  CHECK(half == DValue(1.5));
}

TEST_CASE("a function that does not take a type is not called with it") {
  const auto only_floats = []<int D>(const Array<float, D>& x) { return x.size(); };
  const DArray floats = make_darray({4}, 1.f), integers = make_darray({4}, 1);
  CHECK(visit(only_floats, floats) == 4);
  CHECK_THROWS_WITH_AS(visit(only_floats, integers),
                       "visit: the function does not take Array<int32, 1> (4,) on cpu; convert it: x.cast(dtype)",
                       DTypeError);
}

TEST_CASE("results of several types become one") {
  const DArray x = make_darray({4}, 1.f);
  const auto number = visit([]<class T>(const Array<T, 1>& array) -> T { return array(0); },
                            DArray(make_darray({4}, true)).dtype() == DType::boolean ? x : x);
  static_assert(!std::is_same_v<decltype(number), void>);
  const DArray slice = visit([]<class T>(const Array<T, 1>& array) { return Array<T, 1>(array(range(0, 2))); }, x);
  CHECK(slice.shape() == make_ddim({2}));
  CHECK(slice.dtype() == DType::float32);
}

TEST_CASE("visit_dtype sees arrays of the highest rank, so that types alone matter") {
  DArray x = make_darray({{1, 2, 3}, {4, 5, 6}});
  const auto shape = visit_dtype([](const auto& array) { return DDim(array.shape()); }, x);
  CHECK(shape == make_ddim({1, 1, 1, 1, 1, 1, 1, 2, 3}));
  const double total = visit_dtype(
      []<class T>(const Array<T, 9>& array) {
        double sum = 0;
        for (const T element : array) {
          if constexpr (Real<T>) sum += static_cast<double>(element);
        }
        return sum;
      },
      x.T());
  CHECK(total == 21.0);
  const auto sizes =
      visit_dtype([]<class T, class U>(const Array<T, 9>&, const Array<U, 9>&) { return sizeof(T) * 100 + sizeof(U); },
                  x, make_darray({1}, 2.0));
  CHECK(sizes == 408);
}
