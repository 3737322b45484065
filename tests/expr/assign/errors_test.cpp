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

struct OwnError : ShapeError {
  using ShapeError::ShapeError;
};
struct Refused {
  static float map(float x) { return x > 0 ? throw OwnError("own") : x; }
};

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

TEST_CASE("a failed assignment names the line that it stands on") {
  const auto line_of = [](const auto& action) {
    const std::string message = message_of<ShapeError>(action);
    const std::string file = "called at errors_test.cpp:";
    const auto at = message.find(file);
    CAPTURE(message);
    CHECK(message.find(file, at + 1) == std::string::npos);  // once
    return at == std::string::npos ? 0 : std::stoi(message.substr(at + file.size()));
  };
  Array<float, 2> a = ones<float>(2, 3), b = ones<float>(1, 3), without;
  const Array<float, 2> wide = ones<float>(2, 4);
  ArrayView<float, 2, Place> view = make_view(a);
  const ArrayView<float, 2, Place> const_view = make_view(a);
  const auto product = wide * 2;
  CHECK(line_of([&] { a = b + 1; }) == __LINE__);
  CHECK(line_of([&] { without = 1.0f; }) == __LINE__);
  CHECK(line_of([&] { without(all, all) = a; }) == __LINE__);
  CHECK(line_of([&] { a(all, all) = product; }) == __LINE__);
  CHECK(line_of([&] { a(all, all) = wide; }) == __LINE__);
  CHECK(line_of([&] { a(all, all) = wide(all, all); }) == __LINE__);
  CHECK(line_of([&] { view = product; }) == __LINE__);
  CHECK(line_of([&] { const_view = product; }) == __LINE__);
  CHECK(line_of([&] { make_view(a) = make_view(b)(all, range(0, 2)); }) == __LINE__);
  CHECK(line_of([&] { a += wide; }) == __LINE__);
  CHECK(line_of([&] { a(0, all) *= ones<float>(2); }) == __LINE__);
  CHECK(line_of([&] { const_view -= product; }) == __LINE__);
  CHECK(line_of([&] { a = reshape(product, Dim{5, 1}); }) == __LINE__);  // where that was called, and nothing more
}

TEST_CASE("a user's own error goes through an assignment as it is") {
  Array<float, 1> a = ones<float>(Dim{3});
  CHECK_THROWS_WITH_AS(a = F<Refused>(a), "own", OwnError);
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
