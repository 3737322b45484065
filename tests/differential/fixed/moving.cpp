// Cases of seed 6, moving: written by generate.py, with their values in moving.txt.
#include "case.hpp"

namespace differential {
namespace {

const Case case_80(80, [](Values& values) {
  const auto a = values.input<std::int16_t, 1, CpuPlace>();
  const Array<std::int16_t, 1, CpuPlace> result = positive(a)(range(none, none));
  values.check(result);
});

const Case case_81(81, [](Values& values) {
  const auto a = values.input<float, 2>();
  const auto b = values.input<float, 1>();
  values.check(evaluate(clip(take(maximum(a, b), make_array<std::int64_t>({0, 0})), 0.33, -2.25f)));
});

const Case case_82(82, [](Values& values) {
  const auto a = values.input<float, 1>();
  values.check(evaluate(cumulative_sum<1>(expand_dims<1>(a))));
});

const Case case_83(83, [](Values& values) {
  const auto a = values.input<std::uint32_t, 2, CpuPlace>();
  const auto b = values.input<std::uint32_t, 2, CpuPlace>();
  values.check(evaluate((a >> b)));
});

const Case case_84(84, [](Values& values) {
  const auto a = values.input<std::uint64_t, 3>();
  values.check(evaluate(reshape((-a), {-1})(0, ellipsis)));
});

const Case case_85(85, [](Values& values) {
  const auto a = values.input<float16, 1>();
  const auto b = values.input<float16, 2>();
  values.check_text(to_string(divide(expand_dims<1>(a), b)));
});

const Case case_86(86, [](Values& values) {
  const auto a = values.input<bool, 1, CpuPlace>();
  const auto b = values.input<bfloat16, 1, CpuPlace>();
  const auto c = values.input<bfloat16, 1, CpuPlace>();
  values.check(compress(repeat<0>(a, 3), concat<0>(std::vector<Array<bfloat16, 1, CpuPlace>>{b, c})));
});

const Case case_87(87, [](Values& values) {
  const auto a = values.input<std::uint16_t, 2>();
  values.check(evaluate(argsort<0>(tile(repeat<-1>(a, 1), {1, 2}), descending)));
});

const Case case_88(88, [](Values& values) {
  const auto a = values.input<float, 1>();
  values.check(evaluate(make_view(a.data(), Dim{28})));
});

const Case case_89(89, [](Values& values) {
  const auto a = values.input<double, 1, CpuPlace>();
  values.check(evaluate(floor(squeeze<0>(a))));
});

const Case case_90(90, [](Values& values) {
  const auto a = values.input<double, 1>();
  values.check(evaluate(roll<0>(borrow(a.data(), Dim{0}), 4)));
});

const Case case_91(91, [](Values& values) {
  const auto a = values.input<std::complex<float>, 1>();
  values.check(evaluate(add(broadcast_to(a, Dim{20}), std::complex<float>(-2.5))(all)));
});

const Case case_92(92, [](Values& values) {
  const auto a = values.input<double, 3>();
  values.check(evaluate(sort<2>(transpose(a, {1, 2, 0}))));
});

const Case case_93(93, [](Values& values) {
  const auto a = values.input<std::complex<double>, 1, CpuPlace>();
  values.check(evaluate(sinh(reshape(roll<0>(a, -2), 4, 6))));
});

const Case case_94(94, [](Values& values) {
  const auto a = values.input<bool, 2, CpuPlace>();
  const auto b = values.input<float, 1, CpuPlace>();
  values.check(compress(any_of(a, axis<0>), tile(b, {2})));
});

const Case case_95(95, [](Values& values) {
  const auto a = values.input<std::uint16_t, 1, CpuPlace>();
  const Array<std::uint16_t, 1, CpuPlace> result = pow(a, a(range(8, 9)));
  values.check(result);
});

const Case case_96(96, [](Values& values) {
  const auto a = values.input<std::int32_t, 1>();
  values.check(evaluate(flip(a)));
});

const Case case_97(97, [](Values& values) {
  const auto a = values.input<std::uint8_t, 2>();
  values.check(evaluate(roll<-1>(squeeze<0>(a)(range(-2, 0, -1)), -3)));
});

const Case case_98(98, [](Values& values) {
  const auto a = values.input<std::uint16_t, 1>();
  values.check(evaluate(isinf(sort<0>(a))(-1, ellipsis)));
});

const Case case_99(99, [](Values& values) {
  const auto a = values.input<float, 2, CpuPlace>();
  const auto b = values.input<float, 1, CpuPlace>();
  values.check(evaluate(norm<NormOrder::one, 0>(stack<0>(roll<-1, 0>(a, -3, -4), reshape(b, -1, 5)))));
});

const Case case_100(100, [](Values& values) {
  const auto a = values.input<std::int8_t, 0, CpuPlace>();
  const auto b = values.input<std::int8_t, 1, CpuPlace>();
  values.check(evaluate(multiply(square(a), squeeze<0>(b))));
});

const Case case_101(101, [](Values& values) {
  const auto a = values.input<double, 2, CpuPlace>();
  const Array<double, 3, CpuPlace> result =
      clip(norm<NormOrder::zero, 0>(take(a, make_array<std::int64_t>({0, 3, -3}))).reshape(1, 3, 1),
           cumulative_prod<0>(eye<double>(3, 1)), none);
  values.check(result);
});

const Case case_102(102, [](Values& values) {
  const auto a = values.input<float16, 4>();
  const auto b = values.input<float, 3>();
  values.check(compress(all_of<-3>(a), b));
});

const Case case_103(103, [](Values& values) {
  const auto a = values.input<std::int32_t, 2, CpuPlace>();
  const Array<std::int32_t, 2, CpuPlace> result = roll<-2>(a, -5)(range(-2, none, -1), range(-3, 2));
  values.check(result);
});

const Case case_104(104, [](Values& values) {
  const auto a = values.input<std::int8_t, 2>();
  values.check(evaluate(sort<1>(flip<0>(sort<0>(a)), descending)));
});

const Case case_105(105, [](Values& values) {
  const auto a = values.input<float, 1>();
  const auto b = values.input<float16, 1>();
  const Array<float, 1> result = cosh(concat<0>(roll<-1>(a, -5), b));
  values.check(result);
});

const Case case_106(106, [](Values& values) {
  const auto a = values.input<bool, 1>();
  const auto b = values.input<float, 1>();
  const auto c = values.input<float, 1>();
  values.check_text(to_string(where(a, b, c)(0, ellipsis)));
});

const Case case_107(107, [](Values& values) {
  const auto a = values.input<std::int16_t, 2>();
  values.check(evaluate(min(take(a, make_array<std::int64_t>({-4, 3, 2, 2, -1})))));
});

const Case case_108(108, [](Values& values) {
  const auto a = values.input<float, 3, CpuPlace>();
  values.check_text(to_string(clip(take(a, make_array<std::int32_t>({1, 2})), 3.25, 0.50f)));
});

const Case case_109(109, [](Values& values) {
  const auto a = values.input<std::uint64_t, 1, CpuPlace>();
  values.check_text(to_string(roll<0>(reshape(a, 21), -7)));
});

const Case case_110(110, [](Values& values) {
  const auto a = values.input<bool, 1, CpuPlace>();
  const auto b = values.input<bool, 1, CpuPlace>();
  const auto c = values.input<bool, 1, CpuPlace>();
  const auto d = values.input<bool, 1, CpuPlace>();
  const auto e = values.input<double, 1, CpuPlace>();
  values.check(
      evaluate(reshape(where((a != concat<0>(std::vector<Array<bool, 1, CpuPlace>>{b, c, d})), flip<0>(e), e), 3, -1)));
});

const Case case_111(111, [](Values& values) {
  const auto a = values.input<double, 1, CpuPlace>();
  values.check(evaluate(tile(tile(cumulative_prod<0>(a), {2}), {2})));
});

const Case case_112(112, [](Values& values) {
  const auto a = values.input<bool, 1>();
  const auto b = values.input<float, 1>();
  const auto c = values.input<float, 1>();
  values.check(evaluate(where(squeeze<0>(broadcast_to(a, Dim{1})), b(0, ellipsis), c(0, ellipsis))));
});

const Case case_113(113, [](Values& values) {
  const auto a = values.input<float, 1>();
  values.check_text(to_string(broadcast_to(tile(a, {1}), Dim{25})));
});

const Case case_114(114, [](Values& values) {
  const auto a = values.input<float, 2, CpuPlace>();
  values.check(evaluate(roll<0>(cbrt(roll<1, 0>(a, -7, 2)), 5)));
});

const Case case_115(115, [](Values& values) {
  const auto a = values.input<bfloat16, 1, CpuPlace>();
  values.check(evaluate(reshape(roll<0>(repeat<-1>(a(all), 3), -3), {-1})));
});

const Case case_116(116, [](Values& values) {
  const auto a = values.input<float, 1, CpuPlace>();
  const auto b = values.input<float, 2, CpuPlace>();
  values.check_text(to_string(tile(floor_divide(a, b), {2, 1})));
});

const Case case_117(117, [](Values& values) {
  const auto a = values.input<double, 3, CpuPlace>();
  values.check(evaluate(sort<1>(repeat<-3>(a, 1), descending)));
});

const Case case_118(118, [](Values& values) {
  const auto a = values.input<std::uint8_t, 1>();
  values.check(evaluate(borrow(a.data(), Dim{31})));
});

const Case case_119(119, [](Values& values) {
  const auto a = values.input<double, 2>();
  values.check(evaluate(cumulative_sum<1>(pad(a, {{0, 0}, {1, 2}}, PadMode::edge))));
});

}  // namespace
}  // namespace differential
