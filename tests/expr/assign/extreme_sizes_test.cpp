// Shapes, counts, widths and steps at the ends of their ranges, for every function that takes one. What is larger than any memory is
// refused before anything is allocated or computed.
#include "extremes.hpp"

using namespace tessera;
using namespace support;

namespace {

constexpr auto long_numbers = [](const auto& body) { for_long_numbers(body); };

std::string shape_of(const auto& x) { return to_string(x.shape()); }

/// The answer of calls that make `size(number)` elements of a shape: refused unless that is a small number.
template <class Shape>
auto made(const Shape& shape) {
  return [shape](Wide number) -> Answer {
    if (number < 0 || number > 3) return refused;
    return to_string(shape(static_cast<std::ptrdiff_t>(number)));
  };
}

const auto itself = made([](std::ptrdiff_t n) { return Dim{n}; });

/// A shape of any extent from 0 on.
Answer any_extent(Wide number, const std::string& before, const std::string& after) {
  if (number < 0 || number > PTRDIFF_MAX) return refused;
  return before + std::to_string(static_cast<std::ptrdiff_t>(number)) + after;
}

}  // namespace

TEST_CASE("extents of new arrays") {
#define CHECK_MAKER(name, make)                                                                  \
  check_calls(name, long_numbers, [](auto n) { return shape_of(make(n)); }, itself);             \
  check_calls(name " {n}", long_numbers, [](auto n) { return shape_of(make({n})); }, itself);    \
  check_calls(name " Dim", long_numbers, [](auto n) { return shape_of(make(Dim{n})); }, itself); \
  check_calls(                                                                                   \
      name "(n, 2)", long_numbers, [](auto n) { return shape_of(make(n, 2)); },                  \
      made([](std::ptrdiff_t n) { return Dim{n, std::ptrdiff_t(2)}; }));                         \
  check_calls(                                                                                   \
      name "(n, 0)", long_numbers, [](auto n) { return shape_of(make(n, 0)); },                  \
      [](Wide n) { return any_extent(n, "(", ", 0)"); });                                        \
  check_calls(                                                                                   \
      name "(0, n)", long_numbers, [](auto n) { return shape_of(make(0, n)); },                  \
      [](Wide n) { return any_extent(n, "(0, ", ")"); });                                        \
  check_calls(                                                                                   \
      name "(n, 3, 0)", long_numbers, [](auto n) { return shape_of(make(n, 3, 0)); },            \
      [](Wide n) { return any_extent(n, "(", ", 3, 0)"); });                                     \
  check_calls(                                                                                   \
      name "(n, n)", long_numbers, [](auto n) { return shape_of(make(n, n)); },                  \
      made([](std::ptrdiff_t n) { return Dim{n, n}; }))
  CHECK_MAKER("zeros", zeros<float>);
  CHECK_MAKER("ones", ones<std::uint8_t>);
  CHECK_MAKER("empty", empty<double>);
#undef CHECK_MAKER
  check_calls("full", long_numbers, [](auto n) { return shape_of(full(Dim{n}, 2.0f)); }, itself);
  check_calls("full of bytes", long_numbers, [](auto n) { return shape_of(full(Dim{n}, std::uint8_t(2))); }, itself);
  check_calls("Array", long_numbers, [](auto n) { return shape_of(Array<std::int8_t, 1>(Dim{n})); }, itself);
  check_calls(
      "Array at a place", long_numbers, [](auto n) { return shape_of(Array<std::int8_t, 1, CpuPlace>(Dim{n})); },
      itself);
  check_calls(
      "eye", long_numbers, [](auto n) { return shape_of(eye<int>(n)); },
      made([](std::ptrdiff_t n) { return Dim{n, n}; }));
  check_calls(
      "eye(2, n)", long_numbers, [](auto n) { return shape_of(eye<int>(2, n)); },
      made([](std::ptrdiff_t n) { return Dim{std::ptrdiff_t(2), n}; }));
  check_calls(
      "eye(n, 2)", long_numbers, [](auto n) { return shape_of(eye<int>(n, 2)); },
      made([](std::ptrdiff_t n) { return Dim{n, std::ptrdiff_t(2)}; }));
  check_calls(
      "eye(0, n)", long_numbers, [](auto n) { return shape_of(eye<std::int8_t>(0, n)); },
      [](Wide n) { return any_extent(n, "(0, ", ")"); });
  check_calls("linspace", long_numbers, [](auto n) { return shape_of(linspace(0.0, 1.0, n)); }, itself);
  check_calls("linspace of integers", long_numbers, [](auto n) { return shape_of(linspace(0, 1, n)); }, itself);
  check_calls(
      "random::permutation", long_numbers, [](auto n) { return shape_of(random::permutation(random::Key{1}, n)); },
      itself);
  check_calls(
      "random::uniform", long_numbers,
      [](auto n) { return shape_of(evaluate(random::uniform<float>(random::Key{1}, Dim{n}))); }, itself);
  check_calls(
      "random::normal", long_numbers,
      [](auto n) { return shape_of(evaluate(random::normal<double>(random::Key{1}, Dim{n}))); }, itself);
}

TEST_CASE("extents that are no memory") {
  const Array<int, 1> one{7};
  const Array<int, 2> nothing(Dim{0, 3});
  check_calls(
      "Dim", long_numbers, [](auto n) { return to_string(Dim{n}); }, [](Wide n) { return any_extent(n, "(", ",)"); });
  check_calls(
      "make_dim", long_numbers, [](auto n) { return to_string(make_dim(1, n)); },
      [](Wide n) { return any_extent(n, "(1, ", ")"); });
  check_calls(
      "make_ddim", long_numbers, [](auto n) { return to_string(make_ddim({static_cast<std::ptrdiff_t>(n)})); },
      [](Wide n) { return any_extent(n, "(", ",)"); });
  check_calls(
      "Dim::with", long_numbers, [](auto n) { return to_string(Dim{2}.with(0, n)); },
      [](Wide n) { return any_extent(n, "(", ",)"); });
  check_calls(
      "product", long_numbers, [](auto n) { return std::to_string(product(Dim{n, std::ptrdiff_t(1)})); },
      [](Wide n) { return any_extent(n, "", ""); });
  check_calls(
      "product of nothing", long_numbers, [](auto n) { return std::to_string(product(Dim{n, n, decltype(n)(0)})); },
      [](Wide n) { return any_extent(n, "", "") ? Answer("0") : refused; });
  check_calls(
      "broadcast_to", long_numbers, [&](auto n) { return shape_of(broadcast_to(one, Dim{n})); },
      [](Wide n) { return any_extent(n, "(", ",)"); });
  check_calls(
      "broadcast_to more", long_numbers,
      [&](auto n) { return shape_of(broadcast_to(nothing, Dim{n, decltype(n)(0), decltype(n)(3)})); },
      [](Wide n) { return any_extent(n, "(", ", 0, 3)"); });
  check_calls(
      "broadcast_to expression", long_numbers, [&](auto n) { return shape_of(broadcast_to(one + 1, Dim{n})); },
      [](Wide n) { return any_extent(n, "(", ",)"); });
  check_calls(
      "evaluated broadcast_to", long_numbers, [&](auto n) { return shape_of(evaluate(broadcast_to(one, Dim{n}) + 1)); },
      itself);
  check_calls(
      "copy of broadcast_to", long_numbers, [&](auto n) { return shape_of(copy(broadcast_to(one, Dim{n}))); }, itself);
  check_calls(
      "flipped broadcast_to", long_numbers, [&](auto n) { return shape_of(flip(broadcast_to(one, Dim{n}))); },
      [](Wide n) { return any_extent(n, "(", ",)"); });
  check_calls(
      "sliced broadcast_to", long_numbers,
      [&](auto n) { return shape_of(broadcast_to(one, Dim{n})(range(none, none, -1))); },
      [](Wide n) { return any_extent(n, "(", ",)"); });
  check_calls(
      "windows of broadcast_to", long_numbers,
      [&](auto n) { return shape_of(sliding_window(broadcast_to(one, Dim{PTRDIFF_MAX}), Dim{n})); },
      [](Wide n) -> Answer {
        return n == 1             ? Answer("(" + std::to_string(PTRDIFF_MAX) + ", 1)")
               : n == PTRDIFF_MAX ? Answer("(1, " + std::to_string(PTRDIFF_MAX) + ")")
                                  : refused;
      });
  check_calls(
      "sliding_window", long_numbers, [](auto n) { return shape_of(sliding_window(arange(3), Dim{n})); },
      [](Wide n) -> Answer { return n < 1 || n > 3 ? refused : Answer(to_string(Dim{4 - int(n), int(n)})); });
  check_calls(
      "reshape(n)", long_numbers, [](auto n) { return shape_of(reshape(arange(3), n)); },
      [](Wide n) -> Answer { return n == 3 || n == -1 ? Answer("(3,)") : refused; });
  check_calls(
      "reshape(-1, n)", long_numbers, [](auto n) { return shape_of(reshape(arange(3), -1, n)); },
      [](Wide n) -> Answer { return n == 3   ? Answer("(1, 3)")
                                    : n == 1 ? Answer("(3, 1)")
                                             : refused; });
  check_calls(
      "reshape(n, 3)", long_numbers, [](auto n) { return shape_of(arange(3).reshape(n, 3)); },
      [](Wide n) -> Answer { return n == 1 || n == -1 ? Answer("(1, 3)") : refused; });
  check_calls(
      "reshape({n})", long_numbers, [](auto n) { return shape_of(reshape(arange(3) + 1, {n})); },
      [](Wide n) -> Answer { return n == 3 || n == -1 ? Answer("(3,)") : refused; });
  check_calls(
      "reshape Dim", long_numbers, [](auto n) { return shape_of(reshape(arange(3), Dim{n})); },
      [](Wide n) -> Answer { return n == 3 ? Answer("(3,)") : refused; });
  check_calls(
      "reshape of nothing", long_numbers, [&](auto n) { return shape_of(reshape(nothing, n, 3, 0)); },
      [](Wide n) { return n == -1 ? refused : any_extent(n, "(", ", 3, 0)"); });
  check_calls(
      "borrow", long_numbers,
      [](auto n) {
        float x = 1;
        return shape_of(borrow(&x, Dim{n, decltype(n)(0)}));
      },
      [](Wide n) { return any_extent(n, "(", ", 0)"); });
}

TEST_CASE("widths and numbers of times") {
  const Array<float, 1> a = arange(2.0f);
  const Array<std::uint8_t, 1> one{7};
  const auto long_ = [](auto n) { return static_cast<std::ptrdiff_t>(n); };
  check_calls(
      "repeat", long_numbers, [&](auto n) { return shape_of(evaluate(repeat<0>(a, n))); },
      made([](std::ptrdiff_t n) { return Dim{2 * n}; }));
  check_calls("repeat one", long_numbers, [&](auto n) { return shape_of(evaluate(repeat<0>(one, n))); }, itself);
  check_calls(
      "tile", long_numbers, [&](auto n) { return shape_of(evaluate(tile(a, {long_(n)}))); },
      made([](std::ptrdiff_t n) { return Dim{2 * n}; }));
  check_calls("tile one", long_numbers, [&](auto n) { return shape_of(evaluate(tile(one, {long_(n)}))); }, itself);
  const auto wider = made([](std::ptrdiff_t n) { return Dim{2 + n}; });
  const auto wider_twice = made([](std::ptrdiff_t n) { return Dim{2 + 2 * n}; });
  check_calls(
      "pad before", long_numbers, [&](auto n) { return shape_of(evaluate(pad(a, {{long_(n), 0}}, 1))); }, wider);
  check_calls("pad after", long_numbers, [&](auto n) { return shape_of(evaluate(pad(a, {{0, long_(n)}}, 1))); }, wider);
  check_calls("pad", long_numbers, [&](auto n) { return shape_of(evaluate(pad(a, n, 1))); }, wider_twice);
  for (const PadMode mode : {PadMode::edge, PadMode::reflect, PadMode::wrap}) {
    CAPTURE(int(mode));
    check_calls(
        "pad before", long_numbers, [&](auto n) { return shape_of(evaluate(pad(a, {{long_(n), 0}}, mode))); }, wider);
    check_calls(
        "pad after", long_numbers, [&](auto n) { return shape_of(evaluate(pad(a, {{0, long_(n)}}, mode))); }, wider);
    check_calls("pad", long_numbers, [&](auto n) { return shape_of(evaluate(pad(a, n, mode))); }, wider_twice);
    check_calls(
        "pad one", long_numbers, [&](auto n) { return shape_of(evaluate(pad(one, {{0, long_(n)}}, mode))); },
        made([](std::ptrdiff_t n) { return Dim{1 + n}; }));
  }
}
