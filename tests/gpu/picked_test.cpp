// Index arrays and masks pick on a GPU what they pick on the CPU, whether they are on the host or on the GPU.
#include <doctest/doctest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fake_cuda.hpp"
import tessera;

#include "cases.hpp"
#include "comparison.hpp"

using namespace tessera;
using cases::numbers;

namespace {

const Place gpu = GpuPlace{0};

/// The picked elements of an array on the GPU are those of the array on the host, by pickers on the host and on the GPU.
template <class A, class Pick>
void check_picked(const A& array, const Pick& pick, double tolerance = 0) {
  const auto expected = values_of(evaluate(pick(array, Place(CpuPlace{}))));
  const auto on_gpu = array.to(gpu);
  const auto by_host = evaluate(pick(on_gpu, Place(CpuPlace{})));
  CHECK(Place(by_host.place()) == gpu);
  CHECK(difference(values_of(by_host), expected, tolerance) == "");
  CHECK(difference(values_of(evaluate(pick(on_gpu, gpu))), expected, tolerance) == "");
}

template <class T>
void check_type() {
  INFO(name(dtype_of<T>));
  const Array<T, 3> array = numbers<T>(Dim{4, 5, 6}, 1);
  const Array<std::int64_t, 1> i{3, 0, -1, 0};
  const Array<std::int32_t, 2> j = make_array<std::int32_t>({{1, 4, 0, -2}, {0, 2, 3, 3}});
  const Array<std::uint8_t, 1> k{4, 0, 1};
  check_picked(array, [&](const auto& a, Place p) { return a(i.to(p), all, all); });
  check_picked(array, [&](const auto& a, Place p) { return a(all, k.to(p), all); });
  check_picked(array, [&](const auto& a, Place p) { return a(ellipsis, k.to(p)); });
  check_picked(array, [&](const auto& a, Place p) { return a(i.to(p), j.to(p), all); });
  check_picked(array, [&](const auto& a, Place p) { return a(i.to(p), range(4, 0, -2), j.to(p)); });
  check_picked(array, [&](const auto& a, Place p) { return a(all, i.to(p), j.to(p)); });
  check_picked(array, [&](const auto& a, Place p) { return a(i.to(p), j.to(p), 2); });
  check_picked(array, [&](const auto& a, Place p) { return a.T()(k.to(p), all, 1); });
  check_picked(array, [&](const auto& a, Place p) { return a(all, all, range(none, none, 2))(all, i.to(p), newaxis); });
  const Array<bool, 2> mask = make_array<bool>({{true, false, false, true, true},
                                                {false, false, false, false, false},
                                                {false, true, false, false, false},
                                                {true, true, true, true, true}});
  check_picked(array, [&](const auto& a, Place p) { return a(mask.to(p), all); });
  check_picked(array, [&](const auto& a, Place p) { return a(mask.to(p), range(1, 4)); });
  const Array<bool, 1> sixth{true, false, true, true, false, false};
  check_picked(array, [&](const auto& a, Place p) { return a(all, all, sixth.to(p)); });
}

}  // namespace

TEST_CASE("index arrays and masks pick on a GPU, along any axes and of any type") {
  check_type<float>();
  check_type<std::int8_t>();
  check_type<bfloat16>();
  check_type<std::complex<double>>();
}

TEST_CASE("picked elements of a GPU are operands of expressions, reductions and products") {
  const auto x = numbers<float>(Dim{7, 9}, 2);
  const Array<std::int64_t, 1> rows{6, 6, 0, -2}, columns{1, -1, 3, 0};
  check_picked(x, [&](const auto& a, Place p) { return 2 * a(rows.to(p), all) + abs(a(columns.to(p), all)); });
  check_picked(x, [&](const auto& a, Place p) { return a(rows.to(p), all) + exp(a(columns.to(p), all)); }, 1e-6);
  check_picked(x, [&](const auto& a, Place p) { return (a * a)(rows.to(p), columns.to(p)) - 1; });
  check_picked(x, [&](const auto& a, Place p) { return a(rows.to(p) % std::int64_t{5}, all); });
  check_picked(x, [&](const auto& a, Place) { return a(a > 0); });
  const auto y = x.to(gpu);
  const auto close = [](const auto& on_gpu, const auto& on_cpu) {
    return difference(values_of(evaluate(on_gpu)), values_of(evaluate(on_cpu)), 1e-5);
  };
  CHECK(close(sum<1>(y(rows, all)), sum<1>(x(rows, all))) == "");
  CHECK(close(softmax<1>(y(rows, all)), softmax<1>(x(rows, all))) == "");
  CHECK(close(dot(y(rows, all), y.T()), dot(x(rows, all), x.T())) == "");
  CHECK(close(take_along_axis<1>(y, argmax<1>(x, keepdims)), max<1>(x, keepdims)) == "");
  Array<float, 2> target = zeros<float>(Dim{4, 9}, gpu);
  target(all, range(1, none)) = y(rows, all)(all, range(none, -1));
  CHECK(close(target(all, range(1, none)), x(rows, range(none, -1))) == "");
}

TEST_CASE("work on the elements and on the indices is waited for, and elements are read before they are written") {
  Array<float, 1> x = numbers<float>(Dim{100}, 3).to(gpu);
  Array<std::int64_t, 1> order = arange<std::int64_t>(100).to(gpu);
  Array<std::int64_t, 1> reversed = 99 - order;
  Array<float, 1> doubled = x * 2;
  Array<float, 1> picked = doubled(reversed);
  doubled(ellipsis) = 0;
  reversed(ellipsis) = 0;
  CHECK(difference(values_of(picked), values_of(copy((x.to(Place(CpuPlace{})) * 2)(range(none, none, -1)))), 0) == "");
  const auto before = values_of(x);
  x(ellipsis) = x(99 - order);
  CHECK(difference(values_of(copy(x(range(none, none, -1)))), before, 0) == "");
}

TEST_CASE("nothing is picked of nothing, and wrong indices are errors with their values") {
  const Array<float, 2> x = numbers<float>(Dim{3, 4}, 4).to(gpu);
  const Array<std::int64_t, 1> none_at_all(Dim{0}), outside{0, 3};
  CHECK(evaluate(x(none_at_all, all)).shape() == Dim{0, 4});
  CHECK(evaluate(x(x > 1e9f)).shape() == Dim{0});
  for (const Place place : {Place(CpuPlace{}), gpu}) {
    CHECK_THROWS_WITH_AS(evaluate(x(outside.to(place), all)),
                         doctest::Contains("index 3 at position 1 is out of range for axis 0 with extent 3"),
                         IndexError);
    CHECK_THROWS_AS(evaluate(x(all, all)(Array<std::int64_t, 1>{-4}.to(place), 0)), IndexError);
  }
}

TEST_CASE("elements of a GPU are written by index arrays and masks; of equal indices the last one stays") {
  const auto x = numbers<float>(Dim{4, 5, 6}, 6);
  const Array<std::int64_t, 1> i{3, 0, -1, 0};
  const Array<std::int32_t, 2> j = make_array<std::int32_t>({{1, 4, 0, -2}, {0, 2, 3, 3}});
  const Array<bool, 2> mask = x(all, all, 0) > 0.0f;
  const auto check = [&](const auto& write) {
    auto written = copy(x);
    write(written, Place(CpuPlace{}));
    for (const Place pickers : {Place(CpuPlace{}), gpu}) {
      auto there = x.to(gpu);
      write(there, pickers);
      CHECK(difference(values_of(there), values_of(written), 0) == "");
    }
  };
  const auto source = numbers<float>(Dim{4, 5, 6}, 7);
  const auto like = [&](const auto& a, const auto& values) { return values.to(Place(a.place())); };
  check([&](auto& a, Place p) { a(i.to(p), all, all) = 7.0f; });
  check([&](auto& a, Place p) { a(i.to(p), all, all) = like(a, source) * 2; });
  check([&](auto& a, Place p) { a(all, i.to(p), all) = like(a, source)(all, range(0, 4), all); });
  check([&](auto& a, Place p) { a(i.to(p), j.to(p), all) = like(a, source)(range(0, 2), range(0, 4), all); });
  check([&](auto& a, Place p) { a(i.to(p), j.to(p), 2) = like(a, source)(range(0, 2), range(0, 4), 1); });
  check([&](auto& a, Place p) { a.T()(i.to(p), all, 1) = like(a, source)(range(0, 4), all, 0); });
  check([&](auto& a, Place p) { a(mask.to(p), all) = like(a, source)(0, 0, all); });
  check([&](auto& a, Place p) { a(mask.to(p), 1) = a(mask.to(p), 2); });
  check([&](auto& a, Place p) { a(i.to(p), all, all) = a; });  // read before it is written
  auto there = x.to(gpu);
  CHECK_THROWS_AS((there(x(all, all, 0) > 0.0f, all) = 1.0f), PlaceError);  // an expression of the host
  CHECK_THROWS_AS((there(Array<int, 1>{0, 4}, all, all) = 1.0f), IndexError);
  CHECK(difference(values_of(there), values_of(x), 0) == "");
}

TEST_CASE("dynamic arrays are indexed on a GPU") {
  const auto x = numbers<float>(Dim{4, 5, 6}, 5);
  const DArray here = x, there = DArray(x).to(GpuPlace{0});
  const DArray rows = Array<int, 1>{3, 0, -1}, columns = make_array<std::int64_t>({{1, 4, 2}, {0, 0, -5}});
  const DArray mask = here({all, all, 0}) > 0.0f;
  const auto check = [&](const DPicked& picked, const DPicked& expected) {
    const DArray found = picked;
    CHECK(found.place() == gpu);
    CHECK(to_string(found.to(CpuPlace{})) == to_string(DArray(expected)));
  };
  for (const Place place : {Place(CpuPlace{}), gpu}) {
    const DArray i = rows.to(place), j = columns.to(place), m = mask.to(place);
    check(there(i), here(rows));
    check(there(i, j), here(rows, columns));
    check(there(i, all, j), here(rows, all, columns));
    check(there(all, i, range(4, 0, -2)), here(all, rows, range(4, 0, -2)));
    check(there(ellipsis, 2, i), here(ellipsis, 2, rows));
    check(there.T()(j), here.T()(columns));
    check(there(m), here(mask));
    check(there(m, range(0, 2)), here(mask, range(0, 2)));
    CHECK(to_string(DArray(there(i, j) * 2).to(CpuPlace{})) == to_string(DArray(here(rows, columns) * 2)));
    CHECK_THROWS_AS(there(all, all, DArray(i + 6)), IndexError);
  }
}

TEST_CASE("elements of dynamic arrays on a GPU are written by indices, and combined with values") {
  const DArray x = numbers<float>(Dim{4, 5, 6}, 5), source = numbers<float>(Dim{3, 5, 6}, 6);
  const DArray rows = Array<int, 1>{3, 0, -1}, columns = make_array<std::int64_t>({{1, 4, 2}, {0, 0, -5}});
  const DArray mask = x({all, all, 0}) > 0.0f, both = Array<int, 1>{1, 1, 1};
  const auto check = [&](const auto& write) {
    for (const Place indices : {Place(CpuPlace{}), gpu}) {
      const DArray here = x.clone(), there = x.to(gpu);
      write(here, CpuPlace{}, CpuPlace{});
      write(there, gpu, indices);
      CHECK(there.place() == gpu);
      CHECK(to_string(there.to(CpuPlace{})) == to_string(here));
    }
  };
  check([&](const DArray& a, Place p, Place i) { a(rows.to(i)) = source.to(p); });
  check([&](const DArray& a, Place p, Place i) { a(rows.to(i), range(4, 0, -2)) = source({0, 0}).to(p); });
  check([&](const DArray& a, Place, Place i) { a(rows.to(i), columns.to(i), 1) = 7.0f; });
  check([&](const DArray& a, Place, Place i) { a(mask.to(i)) = -1.0f; });
  check([&](const DArray& a, Place p, Place i) { a(both.to(i)) = source.to(p); });  // the last one stays
  check([&](const DArray& a, Place p, Place i) { a(ellipsis, both.to(i)) = source({0, all, range(0, 3)}).to(p); });
  check([&](const DArray& a, Place p, Place i) { a(rows.to(i)) += source.to(p); });
  check([&](const DArray& a, Place p, Place i) {
    a(both.to(i), all, columns({0, all}).to(i)) -= source({0, 0, 0}).to(p);
  });
  check([&](const DArray& a, Place, Place i) { a(all, both.to(i)) *= 2.0f; });
  check([&](const DArray& a, Place, Place i) { a(mask.to(i), 2) /= 2.0f; });
  check([&](const DArray& a, Place p, Place i) { a(rows.to(i)) = a(both.to(p)); });
  const DArray there = x.to(gpu);
  CHECK_THROWS_WITH_AS(there(rows) = source, doctest::Contains("the values are on cpu and the array on gpu:0"),
                       PlaceError);
  CHECK_THROWS_AS(x(rows) = source.to(gpu), PlaceError);
  CHECK_THROWS_AS(there(rows + 4) = 1.0f, IndexError);
  CHECK_THROWS_AS(there(rows) = make_array<float>({{1, 2}}).to(gpu), ShapeError);
  CHECK_THROWS_AS(DArray(mask.to(gpu))(both) += true, DTypeError);
  CHECK(to_string(there.to(CpuPlace{})) == to_string(x));
}
