// Indices, bounds, steps, shifts and axes at the ends of their ranges, for every function that takes one.
#include "extremes.hpp"

using namespace tessera;
using namespace support;

namespace {

constexpr auto all_numbers = [](const auto& body) { for_all_numbers(body); };
constexpr auto long_numbers = [](const auto& body) { for_long_numbers(body); };

constexpr int extent = 5;
Array<int, 1> five() { return arange(0, extent); }

std::string list_of(const std::vector<int>& values) { return to_string(make_array(values)); }

std::string number_text(Wide value) { return std::to_string(static_cast<int>(value)); }

/// The element of an axis of `extent` elements, which are their own positions.
Answer at(Wide index) {
  if (index < -extent || index >= extent) return refused;
  return number_text(index < 0 ? index + extent : index);
}

/// The elements that Python's slice(start, stop, step) names.
Answer slice_of_five(std::optional<Wide> start, std::optional<Wide> stop, Wide step) {
  if (step == 0) return refused;
  const Wide lowest = step > 0 ? 0 : -1, highest = step > 0 ? extent : extent - 1;
  const auto bound = [&](std::optional<Wide> given, Wide open) {
    if (!given) return open;
    return std::clamp<Wide>(*given < 0 ? *given + extent : *given, lowest, highest);
  };
  std::vector<int> values;
  const Wide end = bound(stop, step > 0 ? highest : lowest);
  for (Wide i = bound(start, step > 0 ? lowest : highest); step > 0 ? i < end : i > end; i += step)
    values.push_back(static_cast<int>(i));
  return list_of(values);
}

Answer axis_of(Wide axis, const std::string& first, const std::string& second) {
  if (axis < -2 || axis >= 2) return refused;
  return axis == 0 || axis == -2 ? first : second;
}

}  // namespace

TEST_CASE("an index is a position, counts from the end, or is refused") {
  const Array<int, 1> a = five();
  const Array<int, 2> rows = reshape(five(), extent, 1);
  const auto view = make_view(a);
  check_calls("a(i)", all_numbers, [&](auto i) { return std::to_string(int(a(i))); }, at);
  check_calls("a[{i}]", all_numbers, [&](auto i) { return std::to_string(int(a[{i}])); }, at);
  check_calls("view(i)", long_numbers, [&](auto i) { return std::to_string(int(view(i))); }, at);
  check_calls("a(i, 0)", long_numbers, [&](auto i) { return std::to_string(int(rows(i, 0))); }, at);
  check_calls("a(0, i)", long_numbers, [&](auto i) { return std::to_string(int(rows.T()(0, i))); }, at);
  check_calls("a(i, all)", all_numbers, [&](auto i) { return to_string(sum(rows(i, all))); }, at);
  check_calls("expression(i, all)", long_numbers, [&](auto i) { return to_string(sum((rows + 0)(i, all))); }, at);
  check_calls(
      "a(i) = x", long_numbers,
      [&](auto i) {
        auto b = a.clone();
        b(i) = 9;
        return std::to_string(int(argmax(b)));
      },
      at);
}

TEST_CASE("indices of slices: take and take_into") {
  const Array<int, 1> a = five();
  const auto picks = [](auto i) {
    Array<decltype(i), 1> indices(Dim{1});
    indices(0) = i;
    return indices;
  };
  check_calls("take", all_numbers, [&](auto i) { return std::to_string(int(take(a, picks(i))(0))); }, at);
  check_calls(
      "take_into", long_numbers,
      [&](auto i) {
        const Array<int, 1> result(Dim{1});
        take_into(result, a, picks(i));
        return std::to_string(int(result(0)));
      },
      at);
}

TEST_CASE("bounds and steps of ranges are those of Python") {
  const Array<int, 1> a = five();
  const auto e = a + 0;
  check_calls(
      "range(i)", all_numbers, [&](auto i) { return to_string(a(range(i))); },
      [](Wide i) { return slice_of_five({}, i, 1); });
  check_calls(
      "range(i, none)", all_numbers, [&](auto i) { return to_string(a(range(i, none))); },
      [](Wide i) { return slice_of_five(i, {}, 1); });
  check_calls(
      "range(i, none, -1)", long_numbers, [&](auto i) { return to_string(a(range(i, none, -1))); },
      [](Wide i) { return slice_of_five(i, {}, -1); });
  check_calls(
      "range(none, i, -2)", long_numbers, [&](auto i) { return to_string(a(range(none, i, -2))); },
      [](Wide i) { return slice_of_five({}, i, -2); });
  check_calls(
      "expression(range(i, none))", long_numbers, [&](auto i) { return to_string(e(range(i, none))); },
      [](Wide i) { return slice_of_five(i, {}, 1); });
  check_calls(
      "range(i, i, i)", long_numbers,
      [&](auto i) { return i == 0 ? throw IndexError("0") : to_string(a(range(i, i, i))); },
      [](Wide i) { return slice_of_five(i, i, i); });
  check_calls(
      "slice", long_numbers, [&](auto i) { return to_string(slice(a, {i}, {-1}, {1})); },
      [](Wide i) { return slice_of_five(i, -1, 1); });
  check_calls(
      "slice to", long_numbers, [&](auto i) { return to_string(slice(a, {1}, {i})); },
      [](Wide i) { return slice_of_five(1, i, 1); });
  for_all_numbers([&](auto step) {
    for (const bool is_backwards : {false, true}) {
      const auto first = is_backwards ? 4 : 0;
      check_call("range(first, none, step)", step, slice_of_five(first, {}, step),
                 [&] { return to_string(a(range(first, none, step))); });
    }
    check_call("slice by", step, slice_of_five(0, 5, step), [&] { return to_string(slice(a, {0}, {5}, {step})); });
  });
}

TEST_CASE("any shift rolls") {
  const Array<int, 1> a = five();
  check_calls(
      "roll", all_numbers, [&](auto shift) { return to_string(evaluate(roll<0>(a, shift))); },
      [](Wide shift) -> Answer {
        std::vector<int> values;
        for (int i = 0; i < extent; ++i) values.push_back(static_cast<int>(((i - shift) % extent + extent) % extent));
        return list_of(values);
      });
}

TEST_CASE("axes that are known at run time") {
  const Array<double, 2> a{{1, 2}, {3, 5}};
  const auto check = [&](const std::string& name, const auto& call) {
    const auto text = [&](auto axis) { return to_string(evaluate(call(axis))); };
    check_calls(name, long_numbers, text, [&](Wide axis) { return axis_of(axis, text(0), text(1)); });
  };
#define CHECK_AXIS(function) check(#function, [&](auto axis) { return function(a, axis); })
  CHECK_AXIS(sum);
  CHECK_AXIS(prod);
  CHECK_AXIS(tessera::min);
  CHECK_AXIS(tessera::max);
  CHECK_AXIS(any);
  CHECK_AXIS(any_of);
  CHECK_AXIS(all_of);
  CHECK_AXIS(count_nonzero);
  CHECK_AXIS(argmin);
  CHECK_AXIS(argmax);
  CHECK_AXIS(mean);
  CHECK_AXIS(var);
  CHECK_AXIS(stddev);
  CHECK_AXIS(logsumexp);
  CHECK_AXIS(softmax);
  CHECK_AXIS(log_softmax);
#undef CHECK_AXIS
  check("swapaxes", [&](auto axis) { return swapaxes(a, axis, 0); });
  check("moveaxis from", [&](auto axis) { return moveaxis(a, axis, 0); });
  check("moveaxis to", [&](auto axis) { return moveaxis(a, 0, axis); });
  for_numbers_of<int>([&](int axis) {
    if (axis == 1 || axis == -1) return;  // the other one
    const Answer wanted = axis_of(axis, to_string(a), "");
    check_call("transpose", axis, wanted, [&] { return to_string(transpose(a, {axis, 1})); });
    check_call("moveaxis of several", axis, wanted, [&] { return to_string(moveaxis(a, {axis, 1}, {0, 1})); });
    check_call("moveaxis to several", axis, wanted, [&] { return to_string(moveaxis(a, {0, 1}, {axis, 1})); });
  });
}
