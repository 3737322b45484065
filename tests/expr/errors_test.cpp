// Errors: each is of its own kind and of a standard one, names operation, values and advice, and leaves everything as it was.
#include "support.hpp"

#include <new>
#include <stdexcept>

using namespace tessera;
using namespace support;

namespace {

/// The action fails with Failure, which is also a Standard; the message has all the parts; `array` keeps its elements.
template <class Failure, class Standard, class Action>
void check_error(const Array<float, 2>& array, const Action& action, std::initializer_list<const char*> parts) {
  static_assert(std::derived_from<Failure, Standard>);
  const Array<float, 2> before = array.clone();
  const auto live = memory::stats(CpuPlace{}).live;
  const std::string message = message_of<Failure>(action);
  for (const char* part : parts) {
    CAPTURE(message);
    CHECK_MESSAGE(contains(message, part), "missing: ", part);
  }
  CHECK(array_equal(array, before));
  CHECK(memory::stats(CpuPlace{}).live == live);
}

}  // namespace

TEST_CASE("every failed operation says what, with which values, and what to do, and changes nothing") {
  Array<float, 2> a = ones<float>(Dim{2, 3}), b = ones<float>(Dim{2, 4});
  Array<float, 1> row = ones<float>(Dim{4});
  check_error<ShapeError, std::invalid_argument>(
      a, [&] { assign(a, a + b); }, {"operator +", "(2, 3)", "(2, 4)", "axis 1", "3 and 4", "must be equal"});
  check_error<ShapeError, std::invalid_argument>(a, [&] { a += row; }, {"operator +", "(2, 3)", "(4,)", "axis 1"});
  check_error<ShapeError, std::invalid_argument>(a, [&] { assign(a, exp(b)); },
                                                 {"assignment", "(2, 4)", "(2, 3)", "axis 1"});
  check_error<ShapeError, std::invalid_argument>(a, [&] { assign(a, dot(a, b)); },
                                                 {"dot", "(2, 3)", "(2, 4)", "3", "2"});
  check_error<ShapeError, std::invalid_argument>(a, [&] { assign(a, max<0>(zeros<float>(Dim{0, 3}))); },
                                                 {"max", "(0, 3)", "axis 0"});
  check_error<IndexError, std::out_of_range>(a, [&] { a(5, all) = 1.0f; }, {"5", "2"});
  check_error<DTypeError, std::invalid_argument>(a,
                                                 [&] {
                                                   const Array<std::uint8_t, 1> bytes = zeros<std::uint8_t>(Dim{3});
                                                   assign(a, cast<float>(maximum(bytes, 300)));
                                                 },
                                                 {"maximum", "300", "uint8", "cast"});
}

TEST_CASE("an error in the middle of an expression is caught before anything is written") {
  const Array<float, 2> a = ones<float>(Dim{2, 3});
  const auto fits = a * 2;
  check_error<ShapeError, std::invalid_argument>(a, [&] { assign(a, fits + exp(sum<0>(ones<float>(Dim{5, 2}))) * a); },
                                                 {"operator *", "(2,)", "(2, 3)"});
  check_error<ShapeError, std::invalid_argument>(a, [&] { assign(a, where(a > 0, a, ones<float>(Dim{3, 3}))); },
                                                 {"where", "(2, 3)", "(3, 3)", "axis 0"});
}

TEST_CASE("shapes that cannot be are refused before memory is asked for") {
  const auto live = memory::stats(CpuPlace{}).live;
  const Array<float, 1> one = ones<float>(Dim{1});
  const std::ptrdiff_t huge = std::ptrdiff_t{1} << 40;
  const auto message = message_of<ShapeError>([&] {
    const auto tall = broadcast_to(one, Dim<2>{huge, 1}) + broadcast_to(one, Dim<2>{1, huge});
    evaluate(tall);
  });
  CHECK(contains(message, "1099511627776"));
  CHECK(memory::stats(CpuPlace{}).live == live + 1);
}
