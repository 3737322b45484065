// Cases of seed 1, moving: written by generate.py, with their values in moving.txt.
#include "case.hpp"

namespace differential {
namespace {

const Case case_80(80, [](Values& values) {
  const auto a = values.input<float, 2>();
  values.check_text(to_string(take(moveaxis(flip<-2, 1>(take(a, make_array<std::int32_t>({2, -2, 3}))), -1, -2),
                                   make_array<std::int32_t>({-1, -2, 0}))));
});

const Case case_81(81, [](Values& values) {
  const auto a = values.input<std::complex<float>, 2>();
  const Array<std::complex<float>, 3> result =
      sliding_window<-1>(broadcast_to(broadcast_to(a, Dim{3, 1}), Dim{3, 4}), {2});
  values.check(result);
});

const Case case_82(82, [](Values& values) {
  const auto a = values.input<std::uint16_t, 2>();
  const Array<std::uint16_t, 3> result =
      sort<0>(pad(repeat<0>(a, 3), {{0, 0}, {0, 0}}, PadMode::reflect), descending)(newaxis, all, range(-1, none));
  values.check(result);
});

const Case case_83(83, [](Values& values) {
  const auto a = values.input<std::uint8_t, 2>();
  const auto b = values.input<std::uint8_t, 2>();
  values.check(evaluate(concat<-2>(sort<0>(a), transpose(b, {0, 1}))));
});

const Case case_84(84, [](Values& values) {
  const auto a = values.input<std::int16_t, 1>();
  values.check(evaluate(sort<1>(stack<0>(std::vector<Array<std::int16_t, 1>>{a}))));
});

const Case case_85(85, [](Values& values) {
  const auto a = values.input<bool, 3>();
  const Array<bool, 2> result = pad(any_of<-2>(a)(-2, range(0, none), newaxis), {{0, 0}, {0, 1}}, PadMode::edge);
  values.check(result);
});

const Case case_86(86, [](Values& values) {
  const auto a = values.input<std::complex<double>, 1>();
  values.check(evaluate(squeeze<0>(cumulative_prod(flatten(flip(a))))));
});

const Case case_87(87, [](Values& values) {
  const auto a = values.input<float, 1>();
  const auto b = values.input<float, 1>();
  const auto c = values.input<float, 1>();
  const Array<float, 2> result =
      stack<1>(pad(cumulative_sum(a), {{1, 2}}, 1), make_view(b.data(), Dim{4}), make_view(c.data(), Dim{4}));
  values.check(result);
});

const Case case_88(88, [](Values& values) {
  const auto a = values.input<float, 2>();
  values.check(evaluate(tile(roll<0>(a, 1), {2, 1})));
});

const Case case_89(89, [](Values& values) {
  const auto a = values.input<std::uint16_t, 1>();
  const auto b = values.input<std::int8_t, 1>();
  const Array<std::int32_t, 1> result = concat<-1>(a, b(range(none, none, -1)));
  values.check(result);
});

const Case case_90(90, [](Values& values) {
  const auto a = values.input<float, 2>();
  values.check(evaluate(expm1(sliding_window<0>(a, {2}))));
});

const Case case_91(91, [](Values& values) {
  const auto a = values.input<std::int16_t, 2>();
  values.check_text(to_string(swapaxes(cast<std::uint32_t>(sliding_window<0>(a, {1})), 1, -1)));
});

const Case case_92(92, [](Values& values) {
  const auto a = values.input<float, 3>();
  const auto b = values.input<float, 3>();
  values.check_text(to_string(flip(leaky_relu(repeat<0>(clip(a, none, -3.5), 3), b))));
});

const Case case_93(93, [](Values& values) {
  const auto a = values.input<bfloat16, 3>();
  values.check(evaluate(pad(expand_dims<1>(flatten(a)), {{1, 0}, {1, 1}}, PadMode::wrap)));
});

const Case case_94(94, [](Values& values) {
  const auto a = values.input<std::uint64_t, 2>();
  values.check(evaluate(broadcast_to(roll<1, -2>(take(a, make_array<std::int32_t>({-1})), 3, 5), Dim{1, 3})));
});

const Case case_95(95, [](Values& values) {
  const auto a = values.input<float, 1>();
  values.check(evaluate(squeeze<0>(cumulative_prod(a))));
});

const Case case_96(96, [](Values& values) {
  const auto a = values.input<double, 2>();
  const auto b = values.input<float, 2>();
  const auto c = values.input<double, 2>();
  const auto d = values.input<double, 2>();
  values.check(evaluate(subtract(concat<0>(a, a, cumulative_sum<1>(a)),
                                 concat<1>(broadcast_to(cumulative_sum<0>((b + c)), Dim{3, 1}), d))));
});

const Case case_97(97, [](Values& values) {
  const auto a = values.input<float, 1>();
  values.check(evaluate(tile(cumulative_prod<0>(pad(a, {{0, 0}}, PadMode::reflect)), {2})(-2, ellipsis)));
});

const Case case_98(98, [](Values& values) {
  const auto a = values.input<double, 4>();
  const Array<double, 3> result = sort<1>(repeat<2>(norm<NormOrder::one, 3>(a), 1), descending);
  values.check(result);
});

const Case case_99(99, [](Values& values) {
  const auto a = values.input<double, 2>();
  const auto b = values.input<double, 1>();
  values.check(evaluate(stack<1>(norm<NormOrder::zero, 0, 1>(stack<1>(a, a, a(range(none, none, -1), ellipsis))),
                                 pad(pad(b, {{0, 1}}, PadMode::wrap), {{1, 1}}, PadMode::wrap))));
});

const Case case_100(100, [](Values& values) {
  const auto a = values.input<float16, 0>();
  values.check(evaluate(radians(degrees(a))));
});

const Case case_101(101, [](Values& values) {
  const auto a = values.input<std::int16_t, 1>();
  values.check(evaluate(roll<0>(roll<0>(cast<float>(a), -4), -6)));
});

const Case case_102(102, [](Values& values) {
  const auto a = values.input<std::int64_t, 2>();
  values.check(evaluate(repeat<1>(repeat<1>(flip<0>(a), 1), 2)));
});

const Case case_103(103, [](Values& values) {
  const auto a = values.input<std::int8_t, 2>();
  values.check(
      evaluate(transpose(sort<0>(take(transpose(a, {1, 0}), make_array<std::int64_t>({1, -2})), descending), {1, 0})));
});

const Case case_104(104, [](Values& values) {
  const auto a = values.input<double, 1>();
  const Array<double, 1> result = tile(borrow(a.data(), Dim{2}), {3});
  values.check(result);
});

const Case case_105(105, [](Values& values) {
  const auto a = values.input<std::uint16_t, 2>();
  values.check(
      evaluate(sort<0>(pad(sort(reshape(a, 1, 6), descending), {{0, 0}, {2, 0}}, PadMode::edge)).reshape(4, 2)));
});

const Case case_106(106, [](Values& values) {
  const auto a = values.input<float, 1>();
  values.check(evaluate(sliding_window<0>(sliding_window(cumulative_prod<0>(a), {3}), {1})));
});

const Case case_107(107, [](Values& values) {
  const auto a = values.input<double, 1>();
  const Array<double, 3> result = broadcast_to(broadcast_to(tile(a, {1}), Dim{1}), Dim{1, 2, 1});
  values.check(result);
});

const Case case_108(108, [](Values& values) {
  const auto a = values.input<std::int32_t, 3>();
  const Array<std::int32_t, 3> result = flip<0, -2, 2>(make_view(a.data(), Dim{2, 1, 1}));
  values.check(result);
});

const Case case_109(109, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<std::uint64_t, 2>();
  values.check(evaluate(pad(where(a, b, b), {{1, 0}, {1, 2}}, 2)));
});

const Case case_110(110, [](Values& values) {
  const auto a = values.input<float, 2>();
  values.check(evaluate(concat<1>(cumulative_sum<0>(a), cumulative_sum<0>(a))));
});

const Case case_111(111, [](Values& values) {
  const auto a = values.input<float, 2>();
  const Array<bool, 2> result = squeeze<1>(stack<-2>(cast<bool>(a)));
  values.check(result);
});

const Case case_112(112, [](Values& values) {
  const auto a = values.input<bool, 3>();
  const auto b = values.input<std::complex<float>, 2>();
  values.check(compress(a(-1, range(0, none, 3), range(none, none, -1)),
                        cumulative_prod<0>(take(b, make_array<std::int32_t>({-3, 0})))));
});

const Case case_113(113, [](Values& values) {
  const auto a = values.input<std::int16_t, 3>();
  values.check(evaluate(squeeze<0>(min(max<1, 2>(a), keepdims))));
});

const Case case_114(114, [](Values& values) {
  const auto a = values.input<std::int8_t, 1>();
  const Array<std::int8_t, 1> result = clip(pad(a, {{0, 2}}, PadMode::reflect), 8, 5);
  values.check(result);
});

const Case case_115(115, [](Values& values) {
  const auto a = values.input<float, 2>();
  values.check(evaluate(borrow(a.data(), Dim{1, 3})));
});

const Case case_116(116, [](Values& values) {
  const auto a = values.input<bfloat16, 1>();
  const auto b = values.input<bfloat16, 1>();
  values.check(evaluate(leaky_relu(a, b)(-1, ellipsis)));
});

const Case case_117(117, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<std::complex<double>, 1>();
  values.check(compress(take(a, make_array<std::int32_t>({-1})), sliding_window(b, {2})));
});

const Case case_118(118, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<bool, 2>();
  values.check(compress(a.T(), argsort<0>(sort(b), descending)));
});

const Case case_119(119, [](Values& values) {
  const auto a = values.input<float, 2>();
  values.check(evaluate(cumulative_sum<0>(a)));
});

}  // namespace
}  // namespace differential
