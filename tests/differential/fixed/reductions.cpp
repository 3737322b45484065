// Cases of seed 6, reductions: written by generate.py, with their values in reductions.txt.
#include "case.hpp"

namespace differential {
namespace {

const Case case_40(40, [](Values& values) {
  const auto a = values.input<float, 3, CpuPlace>();
  const Array<float, 1, CpuPlace> result = norm<0, 1>(flip<1>(real(a)));
  values.check(result);
});

const Case case_41(41, [](Values& values) {
  const auto a = values.input<double, 3, CpuPlace>();
  values.check(evaluate(norm<NormOrder::one, 1>(expm1(squeeze<2>(a)))));
});

const Case case_42(42, [](Values& values) {
  const auto a = values.input<std::uint16_t, 3>();
  const auto b = values.input<std::uint16_t, 1>();
  values.check_text(to_string(bitwise_left_shift(min<-2, -1>(a), abs(b))));
});

const Case case_43(43, [](Values& values) {
  const auto a = values.input<bfloat16, 3, CpuPlace>();
  values.check(evaluate(norm<NormOrder::zero, -1>(a)));
});

const Case case_44(44, [](Values& values) {
  const auto a = values.input<std::int8_t, 3, CpuPlace>();
  values.check(evaluate(min<2>(a)));
});

const Case case_45(45, [](Values& values) {
  const auto a = values.input<std::complex<float>, 3, CpuPlace>();
  const auto b = values.input<float, 3, CpuPlace>();
  values.check(evaluate(sum<-3>(log1p(divide(reciprocal(a), b)), keepdims)));
});

const Case case_46(46, [](Values& values) {
  const auto a = values.input<std::uint8_t, 2>();
  values.check(evaluate(expand_dims<0>(max<1>(a))));
});

const Case case_47(47, [](Values& values) {
  const auto a = values.input<std::int32_t, 1, CpuPlace>();
  values.check(evaluate(standardise<0>(cast<float>(a), 0.125)));
});

const Case case_48(48, [](Values& values) {
  const auto a = values.input<float, 3>();
  values.check(evaluate(count_nonzero<2>(cast<std::int32_t>(a))));
});

const Case case_49(49, [](Values& values) {
  const auto a = values.input<std::int32_t, 3, CpuPlace>();
  const Array<std::int32_t, 2, CpuPlace> result = max<1>(broadcast_to(a, Dim{6, 6, 3}));
  values.check(result);
});

const Case case_50(50, [](Values& values) {
  const auto a = values.input<float16, 4>();
  const auto b = values.input<float16, 3>();
  values.check(evaluate(radians(copysign(logsumexp<-4>(a), b))));
});

const Case case_51(51, [](Values& values) {
  const auto a = values.input<float, 4, CpuPlace>();
  const auto b = values.input<float, 3, CpuPlace>();
  values.check(evaluate(
      remainder(norm<NormOrder::minus_infinity, 0>(norm<NormOrder::infinity, 1>(a)), norm<NormOrder::infinity, 1>(b))));
});

const Case case_52(52, [](Values& values) {
  const auto a = values.input<std::int8_t, 3>();
  values.check_text(to_string(cast<double>(a)));
});

const Case case_53(53, [](Values& values) {
  values.check(evaluate(var<0>(var<1>(zeros<float>(5, 5, 3, 2), correction(1)))));
});

const Case case_54(54, [](Values& values) {
  const auto a = values.input<std::uint64_t, 2, CpuPlace>();
  values.check(evaluate(prod(round(a))));
});

const Case case_55(55, [](Values& values) {
  const auto a = values.input<float, 1>();
  values.check(evaluate(squeeze<0>(hypot(a, -2.0))));
});

const Case case_56(56, [](Values& values) {
  const auto a = values.input<std::int16_t, 4>();
  const Array<std::int16_t, 2> result = min<2>(a).min<-3>();
  values.check(result);
});

const Case case_57(57, [](Values& values) {
  const auto a = values.input<std::uint32_t, 2>();
  values.check_text(to_string(broadcast_to(
      (broadcast_to(max<0>(a, keepdims), Dim{1, 3}) | sliding_window(zeros<std::uint32_t>(3, 3, 2).max<-2, 2>(), {3})),
      Dim{1, 3})));
});

const Case case_58(58, [](Values& values) {
  const auto a = values.input<std::complex<double>, 4>();
  values.check(evaluate(mean<0>(mean<-2>(a))));
});

const Case case_59(59, [](Values& values) {
  const auto a = values.input<std::int64_t, 2, CpuPlace>();
  const auto b = values.input<std::int64_t, 2, CpuPlace>();
  values.check(evaluate(any<-1>(maximum(a, b))(range(0, none))));
});

const Case case_60(60, [](Values& values) {
  const auto a = values.input<float, 2, CpuPlace>();
  values.check(evaluate(min<1>(cast<std::uint16_t>(a))));
});

const Case case_61(61, [](Values& values) {
  const auto a = values.input<std::uint64_t, 2, CpuPlace>();
  values.check(evaluate(cast<std::uint8_t>(make_view(a.data(), Dim{5, 2}))));
});

const Case case_62(62, [](Values& values) {
  const auto a = values.input<float, 2, CpuPlace>();
  values.check(evaluate(stddev<1>(nextafter(a, a), correction(1))));
});

const Case case_63(63, [](Values& values) {
  const auto a = values.input<bfloat16, 2, CpuPlace>();
  values.check(evaluate(a.argmax<0>()));
});

const Case case_64(64, [](Values& values) {
  const auto a = values.input<std::uint32_t, 3, CpuPlace>();
  values.check(evaluate(min<2>(flip(a))));
});

const Case case_65(65, [](Values& values) {
  const auto a = values.input<bfloat16, 2, CpuPlace>();
  values.check(evaluate(cast<float>(clip(rsqrt(logsumexp(a, axis<-2, 1>)), none, -0.5))));
});

const Case case_66(66, [](Values& values) {
  const auto a = values.input<bfloat16, 1, CpuPlace>();
  const auto b = values.input<bfloat16, 1, CpuPlace>();
  values.check(evaluate((softmax<0>(a) < asinh(b))));
});

const Case case_67(67, [](Values& values) {
  const auto a = values.input<float, 4, CpuPlace>();
  values.check(evaluate(transpose(var<-2>(var<0>(a)), {0, 1})));
});

const Case case_68(68, [](Values& values) {
  const auto a = values.input<std::int8_t, 3>();
  const auto b = values.input<std::int8_t, 2>();
  values.check_text(to_string((a.reshape(4, 1) + b)));
});

const Case case_69(69, [](Values& values) {
  const auto a = values.input<std::uint8_t, 3, CpuPlace>();
  const auto b = values.input<std::uint16_t, 3, CpuPlace>();
  values.check_text(to_string((sum<0>(max<0>(a)) ^ sum(b, axis<-3>).sum<1>())));
});

const Case case_70(70, [](Values& values) {
  const auto a = values.input<std::int16_t, 2, CpuPlace>();
  const Array<std::int16_t, 2, CpuPlace> result = make_view(a.data(), Dim{0, 3});
  values.check(result);
});

const Case case_71(71, [](Values& values) {
  const auto a = values.input<bfloat16, 3>();
  const Array<bfloat16, 3> result = layernorm<-2>(tanh(remainder(a, a)));
  values.check(result);
});

const Case case_72(72, [](Values& values) {
  const auto a = values.input<float, 1>();
  values.check(evaluate(minimum(-2.50f, a)));
});

const Case case_73(73, [](Values& values) {
  const auto a = values.input<std::complex<float>, 2, CpuPlace>();
  values.check(evaluate(sliding_window<1>(prod<0>(a, keepdims), {1})));
});

const Case case_74(74, [](Values& values) {
  const auto a = values.input<std::uint32_t, 3>();
  values.check(evaluate(cast<float16>(min<0, 1>(a))(range(1, none, 1))));
});

const Case case_75(75, [](Values& values) {
  const auto a = values.input<std::int32_t, 3>();
  values.check(evaluate(max(flip(a), axis<0, 1>)));
});

const Case case_76(76, [](Values& values) {
  const auto a = values.input<float, 4, CpuPlace>();
  values.check(evaluate(norm<0>(norm<0>(a, keepdims), 3)));
});

const Case case_77(77,
                   [](Values& values) { values.check(evaluate(stddev<-3>((-1.8 - full(Dim{1, 3, 3}, double(1)))))); });

const Case case_78(78, [](Values& values) {
  const auto a = values.input<std::complex<double>, 2, CpuPlace>();
  values.check(evaluate(a.mean<-2>()));
});

const Case case_79(79, [](Values& values) {
  const auto a = values.input<std::uint32_t, 5, CpuPlace>();
  values.check(evaluate(max<0, 1>(min<1>(a).max<-4>())));
});

}  // namespace
}  // namespace differential
