// Cases of seed 6, elementwise: written by generate.py, with their values in elementwise.txt.
#include "case.hpp"

namespace differential {
namespace {

const Case case_0(0, [](Values& values) {
  const auto a = values.input<std::int8_t, 1, CpuPlace>();
  values.check(evaluate((minimum((5 + a), imag(a)) | 1)));
});

const Case case_1(1, [](Values& values) {
  const auto a = values.input<std::complex<double>, 1>();
  const auto b = values.input<std::complex<double>, 1>();
  values.check(evaluate(softplus(cast<float>((a * b)))));
});

const Case case_2(2, [](Values& values) {
  const auto a = values.input<std::int16_t, 1, CpuPlace>();
  const auto b = values.input<std::int8_t, 1, CpuPlace>();
  values.check(evaluate(divide((-3 - a), subtract(a, b))));
});

const Case case_3(3, [](Values& values) {
  const auto a = values.input<std::complex<float>, 2, CpuPlace>();
  const Array<std::complex<float>, 2, CpuPlace> result = acos(log10(pow(a, a)));
  values.check(result);
});

const Case case_4(4, [](Values& values) {
  const auto a = values.input<float16, 1, CpuPlace>();
  const auto b = values.input<float, 1, CpuPlace>();
  const auto c = values.input<float, 1, CpuPlace>();
  values.check(evaluate(cos(hypot(logaddexp((exp(a) + gelu(full(Dim{1}, float(2)))), b), c))));
});

const Case case_5(5, [](Values& values) {
  const auto a = values.input<std::int8_t, 2, CpuPlace>();
  const auto b = values.input<std::int8_t, 2, CpuPlace>();
  const auto c = values.input<std::int8_t, 1, CpuPlace>();
  const auto d = values.input<std::int8_t, 2, CpuPlace>();
  values.check(evaluate(
      (bitwise_xor(
           (concat<1>(std::vector<Array<std::int8_t, 2, CpuPlace>>{a, b}) % min<0>(reshape(c, -1, 5), keepdims)), d) >>
       d)));
});

const Case case_6(6, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<double, 2>();
  const auto c = values.input<double, 2>();
  const auto d = values.input<double, 2>();
  values.check(evaluate(expm1(nextafter(where(a, b, c), d))));
});

const Case case_7(7, [](Values& values) {
  const auto a = values.input<float, 2>();
  const Array<float, 2> result = asinh(tan(remainder(a, a)));
  values.check(result);
});

const Case case_8(8, [](Values& values) {
  const auto a = values.input<float, 1, CpuPlace>();
  const auto b = values.input<float, 1, CpuPlace>();
  const auto c = values.input<bool, 1, CpuPlace>();
  values.check(evaluate((clip((a * b), none, none) == where(c, ones<float>(4), b))));
});

const Case case_9(9, [](Values& values) {
  const auto a = values.input<std::complex<double>, 3, CpuPlace>();
  const Array<std::complex<double>, 1, CpuPlace> result = acosh(prod<-3, 2>(a));
  values.check(result);
});

const Case case_10(10, [](Values& values) {
  const auto a = values.input<bool, 1, CpuPlace>();
  const auto b = values.input<std::uint8_t, 2, CpuPlace>();
  const auto c = values.input<std::uint8_t, 2, CpuPlace>();
  const auto d = values.input<std::uint16_t, 2, CpuPlace>();
  values.check(evaluate(less((where(a, b, 0) & abs(c)), d)));
});

const Case case_11(11, [](Values& values) {
  values.check(evaluate(sign(maximum(reshape(clip(eye<std::uint8_t>(2, 3), none, 5), 6, 1), 8))));
});

const Case case_12(12, [](Values& values) {
  const auto a = values.input<std::int8_t, 0>();
  const auto b = values.input<std::uint16_t, 0>();
  const auto c = values.input<std::uint16_t, 0>();
  values.check(evaluate(logical_or(isinf(relu((-a))), cast<bool>((b << c)))));
});

const Case case_13(13, [](Values& values) {
  const auto a = values.input<std::uint32_t, 3, CpuPlace>();
  const auto b = values.input<std::int8_t, 3, CpuPlace>();
  values.check(evaluate(floor_divide(max<1>(real(a)), max<2>(floor_divide(cast<std::uint32_t>(b), 2)))));
});

const Case case_14(14, [](Values& values) {
  const auto a = values.input<float, 1>();
  const auto b = values.input<bool, 1>();
  const auto c = values.input<float, 1>();
  const auto d = values.input<float, 1>();
  const auto e = values.input<float, 1>();
  values.check(evaluate(erfc(tanh(concat<0>((a * 1.05), where(b, c, 1.75), (d * e))))));
});

const Case case_15(15, [](Values& values) {
  const auto a = values.input<bool, 1>();
  const auto b = values.input<bool, 1>();
  const Array<bool, 1> result = logical_and((~a), bitwise_invert((b != a(all))));
  values.check(result);
});

const Case case_16(16, [](Values& values) {
  const auto a = values.input<std::complex<float>, 2>();
  const Array<std::complex<float>, 2> result = sin(pow(a, a));
  values.check(result);
});

const Case case_17(17, [](Values& values) {
  const auto a = values.input<bool, 2, CpuPlace>();
  const auto b = values.input<float, 2, CpuPlace>();
  values.check(evaluate(lgamma(where(a, b, b))));
});

const Case case_18(18, [](Values& values) {
  const auto a = values.input<bool, 3, CpuPlace>();
  const auto b = values.input<float, 3, CpuPlace>();
  values.check(evaluate(rsqrt(where(a, b, 0.90f))));
});

const Case case_19(19, [](Values& values) {
  const auto a = values.input<bfloat16, 1>();
  const auto b = values.input<bool, 2>();
  const auto c = values.input<double, 2>();
  const auto d = values.input<double, 2>();
  const Array<bfloat16, 2> result =
      sigmoid(leaky_relu(reshape(leaky_relu(a, 0.0), 6, 5), cast<bfloat16>(where(b, c, d))));
  values.check(result);
});

const Case case_20(20, [](Values& values) {
  const auto a = values.input<bool, 3, CpuPlace>();
  const auto b = values.input<std::uint64_t, 3, CpuPlace>();
  const auto c = values.input<std::uint64_t, 2, CpuPlace>();
  const Array<std::uint64_t, 2, CpuPlace> result = positive(where(reshape(a, 4, 4), sum<0>(b), c));
  values.check(result);
});

const Case case_21(21, [](Values& values) {
  const auto a = values.input<double, 1>();
  const Array<double, 1> result = atan2(conj(degrees(a)), 2.32);
  values.check(result);
});

const Case case_22(22, [](Values& values) {
  const Array<bool, 1, CpuPlace> result = (cast<bfloat16>(arange<std::uint8_t>(18)) >= -1.25);
  values.check(result);
});

const Case case_23(23, [](Values& values) {
  const auto a = values.input<float16, 3, CpuPlace>();
  const auto b = values.input<std::int64_t, 3, CpuPlace>();
  values.check_text(to_string(floor((copysign(a, a) - cast<float16>(b)))));
});

const Case case_24(24, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<bool, 2>();
  const auto c = values.input<bool, 2>();
  values.check(evaluate(atanh(cast<float>(where(a, b, c)))));
});

const Case case_25(25, [](Values& values) {
  const auto a = values.input<float, 2, CpuPlace>();
  const auto b = values.input<float, 0, CpuPlace>();
  values.check(evaluate(log(add(norm<-2, 1>(a, 3), b))));
});

const Case case_26(26, [](Values& values) {
  const auto a = values.input<float16, 0, CpuPlace>();
  const auto b = values.input<bfloat16, 0, CpuPlace>();
  values.check(evaluate(log2(round(log1p(atan2(a, b))))));
});

const Case case_27(27, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<std::uint8_t, 1>();
  values.check(evaluate(signbit(prod<1>(where(a, b, 8), keepdims))));
});

const Case case_28(28, [](Values& values) {
  const auto a = values.input<std::int64_t, 1, CpuPlace>();
  const auto b = values.input<double, 2, CpuPlace>();
  const auto c = values.input<std::int64_t, 1, CpuPlace>();
  const Array<bool, 1, CpuPlace> result = ((ceil(a) & (argmin(b, axis<0>) & -4)) <= clip(trunc(a), c, 1));
  values.check(result);
});

const Case case_29(29, [](Values& values) {
  const auto a = values.input<bfloat16, 1, CpuPlace>();
  const auto b = values.input<double, 1, CpuPlace>();
  const auto c = values.input<std::uint32_t, 1, CpuPlace>();
  values.check_text(to_string(((cbrt(a) + minimum(b, b(range(none, none)))) > clip(cast<double>(c), 0.82, 3.0))));
});

const Case case_30(30, [](Values& values) {
  const auto a = values.input<std::complex<float>, 3, CpuPlace>();
  values.check(evaluate(angle(sinh(asin(mean<-2>(a, keepdims))))));
});

const Case case_31(31, [](Values& values) {
  const auto a = values.input<double, 3, CpuPlace>();
  const auto b = values.input<bfloat16, 3, CpuPlace>();
  values.check_text(to_string(sqrt(nextafter(subtract(a, -3.75), cast<double>(b)))));
});

const Case case_32(32, [](Values& values) {
  const auto a = values.input<std::int16_t, 1, CpuPlace>();
  const auto b = values.input<float, 2, CpuPlace>();
  values.check(evaluate(radians(where(cast<bool>(((a % -2) + square(a))), stddev<1>(b), -1.36))));
});

const Case case_33(33, [](Values& values) {
  const auto a = values.input<std::uint64_t, 0, CpuPlace>();
  const auto b = values.input<std::uint64_t, 0, CpuPlace>();
  const auto c = values.input<float, 0, CpuPlace>();
  const auto d = values.input<float, 0, CpuPlace>();
  values.check(evaluate(isnan(logaddexp((cast<float>(clip(a, b, 8)) * (c - d)), d))));
});

const Case case_34(34, [](Values& values) {
  const auto a = values.input<std::complex<float>, 2>();
  const auto b = values.input<std::complex<float>, 2>();
  const Array<double, 2> result = cosh(cast<double>(subtract(a, b)));
  values.check(result);
});

const Case case_35(35, [](Values& values) {
  const auto a = values.input<bool, 1, CpuPlace>();
  const auto b = values.input<bool, 1, CpuPlace>();
  values.check_text(to_string((!(!where(a, b, b)))));
});

const Case case_36(36, [](Values& values) {
  const auto a = values.input<std::complex<float>, 3, CpuPlace>();
  values.check(evaluate(atan(mean<1>(a, keepdims))));
});

const Case case_37(37, [](Values& values) {
  const auto a = values.input<float, 2>();
  values.check(evaluate(silu(exp2(silu(a)))));
});

const Case case_38(38, [](Values& values) {
  const auto a = values.input<std::uint32_t, 2, CpuPlace>();
  const auto b = values.input<float16, 2, CpuPlace>();
  const Array<bool, 2, CpuPlace> result = logical_xor(isfinite(imag(conj(a))), roll<-1>(cast<bool>(erf(b)), -5));
  values.check(result);
});

const Case case_39(39, [](Values& values) {
  const auto a = values.input<float16, 1, CpuPlace>();
  const auto b = values.input<float16, 1, CpuPlace>();
  values.check(evaluate(reciprocal((a * b))));
});

}  // namespace
}  // namespace differential
