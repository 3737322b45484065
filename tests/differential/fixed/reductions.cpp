// Cases of seed 1, reductions: written by generate.py, with their values in reductions.txt.
#include "case.hpp"

namespace differential {
namespace {

const Case case_40(40, [](Values& values) {
  const auto a = values.input<float, 5>();
  values.check(evaluate(norm<-1>(norm<NormOrder::minus_infinity, 1>(norm<NormOrder::minus_infinity, 2>(a)), 3)));
});

const Case case_41(41, [](Values& values) {
  const auto a = values.input<std::uint32_t, 5>();
  values.check(evaluate(any_of<-1>(max(a.max<1>(), 2))));
});

const Case case_42(42, [](Values& values) {
  const auto a = values.input<float, 2>();
  values.check(evaluate(squeeze<0>(norm<NormOrder::one, 1>(a))));
});

const Case case_43(43, [](Values& values) {
  const auto a = values.input<float, 1>();
  const Array<float, 1> result = layernorm(leaky_relu(a, a));
  values.check(result);
});

const Case case_44(44, [](Values& values) {
  const auto a = values.input<float, 2>();
  const auto b = values.input<float16, 3>();
  values.check(evaluate(softmax<1>(atan2(hypot(standardise(a, 0.125), var(b, axis<2>)), 1.65))));
});

const Case case_45(45, [](Values& values) {
  const auto a = values.input<float, 3>();
  values.check(evaluate(log_softmax<1>(norm<NormOrder::one, 1>(a))));
});

const Case case_46(46, [](Values& values) {
  const auto a = values.input<std::int32_t, 2>();
  values.check(evaluate(min<-2>(clip(a, 2, 0), keepdims).min<-2>()));
});

const Case case_47(47, [](Values& values) {
  const auto a = values.input<bfloat16, 2>();
  values.check(evaluate(cast<std::int8_t>((count_nonzero<1>(a, keepdims) - 0))));
});

const Case case_48(48, [](Values& values) {
  const auto a = values.input<double, 5>();
  const auto b = values.input<double, 4>();
  const Array<double, 3> result = stddev<3>(leaky_relu(stddev<0>(a), b), correction(1));
  values.check(result);
});

const Case case_49(49, [](Values& values) {
  const auto a = values.input<std::int64_t, 2>();
  const auto b = values.input<bool, 1>();
  const auto c = values.input<std::complex<float>, 1>();
  const Array<std::complex<float>, 1> result =
      where(all_of(flip<0, 1>(a), -2), where(b, c, c(all)), c(range(none, none, -1)));
  values.check(result);
});

const Case case_50(50, [](Values& values) {
  const auto a = values.input<std::uint16_t, 3>();
  values.check(evaluate(cast<double>(all_of<0, -2>(a))));
});

const Case case_51(51, [](Values& values) {
  const auto a = values.input<float, 4>();
  values.check(evaluate(var<1, 2>(norm<1>(a, 3), correction(1))));
});

const Case case_52(52, [](Values& values) {
  const auto a = values.input<float, 4>();
  const auto b = values.input<float, 3>();
  const Array<float, 2> result =
      (log_softmax<-2>(prod(a, axis<-1>))(range(none, 3), -3, range(0, none)) - logsumexp<-2>(b));
  values.check(result);
});

const Case case_53(53, [](Values& values) {
  const auto a = values.input<std::uint64_t, 2>();
  values.check_text(to_string(argmax<1>(sum<1>(clip(a, 0, 0), keepdims))));
});

const Case case_54(54, [](Values& values) {
  const auto a = values.input<float, 2>();
  const Array<float, 2> result = norm<1>(flip(standardise<-2>(a, 0.125)), keepdims);
  values.check(result);
});

const Case case_55(55, [](Values& values) {
  const auto a = values.input<float, 1>();
  const auto b = values.input<float, 1>();
  values.check(evaluate(leaky_relu(leaky_relu(softmax(a), a), b)));
});

const Case case_56(56, [](Values& values) {
  const auto a = values.input<std::uint16_t, 1>();
  const auto b = values.input<std::uint16_t, 3>();
  values.check_text(to_string((sum<0>(a, keepdims) | floor_divide(b, b).prod<1, -1>())));
});

const Case case_57(57, [](Values& values) {
  const auto a = values.input<double, 1>();
  const auto b = values.input<float, 1>();
  values.check(
      evaluate(clip(layernorm(cast<float>(layernorm<0>(layernorm<-1>(a)))), make_view(b.data(), Dim{1}), -2.25f)));
});

const Case case_58(58, [](Values& values) {
  const auto a = values.input<std::uint16_t, 4>();
  values.check(evaluate(flatten(max<0>(min<0>(a), keepdims))));
});

const Case case_59(59, [](Values& values) {
  const auto a = values.input<bool, 3>();
  const auto b = values.input<std::complex<double>, 3>();
  const auto c = values.input<float, 1>();
  const auto d = values.input<float, 3>();
  const Array<float, 3> result = where(
      any_of<-2, 2>(where(a, b, b(range(none, none, 1), all, range(none, none, 1))), keepdims), mean(c, keepdims), d);
  values.check(result);
});

const Case case_60(60, [](Values& values) {
  const auto a = values.input<std::complex<double>, 3>();
  values.check(evaluate(sin((sinh(a).mean<0, 1>() * std::complex<double>(-2.0)))));
});

const Case case_61(61, [](Values& values) {
  const auto a = values.input<std::int16_t, 1>();
  const auto b = values.input<std::int16_t, 2>();
  values.check(evaluate((bitwise_left_shift((a + a), min<1, -1>(sliding_window<0>(b, {1}))) & a)));
});

const Case case_62(62, [](Values& values) {
  const auto a = values.input<float, 1>();
  const auto b = values.input<float, 0>();
  values.check(evaluate(leaky_relu(norm<NormOrder::zero>(a), b)));
});

const Case case_63(63, [](Values& values) {
  const auto a = values.input<float, 5>();
  const Array<float, 1> result =
      norm<NormOrder::infinity, 0, 1>(log_softmax<2>(norm<NormOrder::infinity, 1>(norm<NormOrder::infinity, 2>(a))));
  values.check(result);
});

const Case case_64(64, [](Values& values) {
  const auto a = values.input<std::complex<double>, 4>();
  values.check(evaluate(stddev(cast<float16>(sum(a, axis<0>)), axis<1, 2>)));
});

const Case case_65(65, [](Values& values) {
  const auto a = values.input<double, 1>();
  values.check(evaluate(clip(standardise(a, 0.125), a, -1.76)));
});

const Case case_66(66, [](Values& values) {
  const auto a = values.input<std::complex<float>, 3>();
  const auto b = values.input<std::uint32_t, 4>();
  const auto c = values.input<std::uint32_t, 1>();
  values.check(evaluate(max<2>(where(any<1>(a, keepdims), max<-4>(b), c))));
});

const Case case_67(67, [](Values& values) {
  const auto a = values.input<float, 2>();
  values.check(evaluate(softmax<0>(softmax<0>(norm<1>(clip(a, -1.50f, 2.00f), 3)))));
});

const Case case_68(68, [](Values& values) {
  const auto a = values.input<std::uint8_t, 4>();
  values.check(evaluate(min<0>(swapaxes(min<0>(a, keepdims), 1, 3))));
});

const Case case_69(69, [](Values& values) {
  const auto a = values.input<double, 1>();
  const Array<double, 1> result = standardise(standardise<-1>(a, 0.125), 0.125);
  values.check(result);
});

const Case case_70(70, [](Values& values) {
  const auto a = values.input<float, 2>();
  const auto b = values.input<std::complex<float>, 2>();
  const auto c = values.input<float, 2>();
  values.check(
      evaluate(log_softmax<0>(log_softmax<1>(leaky_relu(log_softmax<0>((log_softmax(a) - cast<float>(b))), c)))));
});

const Case case_71(71, [](Values& values) {
  const auto a = values.input<bfloat16, 1>();
  values.check(evaluate(broadcast_to(sigmoid(exp2(a)), Dim{4, 4})));
});

const Case case_72(72, [](Values& values) {
  const auto a = values.input<std::complex<float>, 4>();
  const auto b = values.input<bfloat16, 4>();
  values.check(evaluate(mean<-2, -1>(mean<1>(mean<0, 2>((a * b), keepdims)))));
});

const Case case_73(73, [](Values& values) {
  const auto a = values.input<double, 3>();
  values.check(evaluate(softmax(softmax(clip(a, -2.41, none)))));
});

const Case case_74(74, [](Values& values) {
  const auto a = values.input<std::int8_t, 3>();
  const auto b = values.input<std::int64_t, 3>();
  const auto c = values.input<bfloat16, 3>();
  values.check_text(to_string(squeeze<2>(where(all_of<-2>(a, keepdims), b, cast<std::int64_t>(c)))));
});

const Case case_75(75, [](Values& values) {
  const auto a = values.input<std::uint32_t, 3>();
  const auto b = values.input<std::uint32_t, 1>();
  const auto c = values.input<std::uint32_t, 3>();
  const auto d = values.input<std::uint8_t, 3>();
  values.check(evaluate(((1 % maximum(a, b)) % minimum(max<2>(minimum(c, d), keepdims), 4))));
});

const Case case_76(76, [](Values& values) {
  const auto a = values.input<std::uint16_t, 2>();
  const auto b = values.input<std::uint8_t, 2>();
  values.check(evaluate(clip(reshape((a + b), {1, -1}), none, 0)));
});

const Case case_77(77, [](Values& values) {
  const auto a = values.input<double, 2>();
  values.check_text(to_string(borrow(a.data(), Dim{3, 2})));
});

const Case case_78(78, [](Values& values) {
  const auto a = values.input<bfloat16, 3>();
  const auto b = values.input<bfloat16, 3>();
  values.check(
      evaluate(leaky_relu(stddev<2>(leaky_relu(a, b), correction(1)), a(range(0, none), 1, range(none, 0, -1)))));
});

const Case case_79(79, [](Values& values) {
  const auto a = values.input<bool, 0>();
  const auto b = values.input<float, 0>();
  const auto c = values.input<float, 0>();
  const auto d = values.input<float, 0>();
  values.check(evaluate(where(a, b, where(a, c, d))));
});

}  // namespace
}  // namespace differential
