// Cases of seed 1, elementwise: written by generate.py, with their values in elementwise.txt.
#include "case.hpp"

namespace differential {
namespace {

const Case case_0(0, [](Values& values) {
  const auto a = values.input<double, 2>();
  const auto b = values.input<double, 2>();
  values.check(evaluate(cast<bool>(min(nextafter((a * a(all)), square(b)).reshape(5, 3), 0))));
});

const Case case_1(1, [](Values& values) {
  const auto a = values.input<bool, 1>();
  const auto b = values.input<bool, 1>();
  const auto c = values.input<bool, 2>();
  const auto d = values.input<bool, 1>();
  const auto e = values.input<std::complex<float>, 3>();
  const auto f = values.input<bool, 2>();
  const auto g = values.input<std::complex<float>, 2>();
  const auto h = values.input<bool, 2>();
  values.check_text(to_string(where(sliding_window(where(a, b, a), {4}),
                                    where(where(c, c(range(-4, none, 1), range(none, none, 1)), c),
                                          sum<0>(where(d, e, e)), where(f, e(1, ellipsis), g)),
                                    where(h, g, g))));
});

const Case case_2(2, [](Values& values) {
  const auto a = values.input<std::complex<double>, 0>();
  const auto b = values.input<std::complex<double>, 1>();
  values.check(evaluate((+subtract(pow(a, std::complex<double>(4.0)), b(-1, ellipsis)))));
});

const Case case_3(3, [](Values& values) {
  const auto a = values.input<float16, 1>();
  const auto b = values.input<float16, 1>();
  const auto c = values.input<float16, 1>();
  const auto d = values.input<float16, 1>();
  values.check(evaluate(clip(leaky_relu(leaky_relu(leaky_relu(a, b), c), d), 1.75, none)));
});

const Case case_4(4, [](Values& values) {
  const auto a = values.input<std::complex<double>, 3>();
  const Array<double, 1> result = clip(mean<-3, 2>(cast<bool>(cast<std::int8_t>(a))), 0.25, 1.86);
  values.check(result);
});

const Case case_5(5, [](Values& values) {
  const auto a = values.input<double, 1>();
  const Array<double, 1> result = clip(log10(tan(broadcast_to(a, Dim{5}))), none, none);
  values.check(result);
});

const Case case_6(6, [](Values& values) {
  const auto a = values.input<std::int16_t, 4>();
  values.check(evaluate(max(max<3>(a), axis<2>)));
});

const Case case_7(7, [](Values& values) {
  const auto a = values.input<float16, 3>();
  const auto b = values.input<float16, 3>();
  const auto c = values.input<float, 2>();
  values.check(evaluate((norm<NormOrder::zero, 0>(((maximum(a, a) + 2.25) + add(b, -1.75))) + (c + c))));
});

const Case case_8(8, [](Values& values) {
  const auto a = values.input<std::uint16_t, 1>();
  const auto b = values.input<std::int32_t, 0>();
  values.check_text(to_string(cast<double>(clip(squeeze<0>(a), cast<std::uint16_t>(cast<float>(b)), 2))));
});

const Case case_9(9, [](Values& values) {
  const auto a = values.input<std::int8_t, 1>();
  values.check(evaluate(conj(min<-1>(imag(a)))));
});

const Case case_10(10, [](Values& values) {
  const auto a = values.input<std::uint32_t, 0>();
  const auto b = values.input<std::uint32_t, 0>();
  values.check_text(to_string(clip(clip(a, b, 6), 8, 7)));
});

const Case case_11(11, [](Values& values) {
  const auto a = values.input<float, 2>();
  const auto b = values.input<float, 2>();
  values.check(evaluate(roll<1>(leaky_relu(leaky_relu(leaky_relu(a, a), b), b), -5)));
});

const Case case_12(12, [](Values& values) {
  const auto a = values.input<double, 2>();
  const auto b = values.input<double, 2>();
  const auto c = values.input<double, 2>();
  values.check(evaluate(copysign((remainder(a, (b / b(all, range(none, none, -1)))) / copysign(b, a)), c)));
});

const Case case_13(13, [](Values& values) {
  const auto a = values.input<bool, 1>();
  values.check_text(to_string(clip(cast<float>(a), -2.55f, none)));
});

const Case case_14(14, [](Values& values) {
  const auto a = values.input<float, 3>();
  const auto b = values.input<float, 1>();
  const auto c = values.input<float, 2>();
  values.check(evaluate(((logsumexp<-1>(leaky_relu(a, b)) * (-c)) - 2.00f)));
});

const Case case_15(15, [](Values& values) {
  const auto a = values.input<std::int32_t, 2>();
  const auto b = values.input<bool, 2>();
  const auto c = values.input<std::int16_t, 2>();
  values.check(evaluate(cast<std::uint8_t>(
      where(where(isnan(a), b, b), where(b(all), c, c), where(b, c(all, range(-3, none, -1)), sign(c))))));
});

const Case case_16(16, [](Values& values) {
  const auto a = values.input<float, 3>();
  const auto b = values.input<float, 2>();
  const auto c = values.input<float, 2>();
  values.check(evaluate(leaky_relu(clip(leaky_relu(norm<1>(a), b), -3.25f, 1.25f), c)));
});

const Case case_17(17, [](Values& values) {
  const auto a = values.input<bfloat16, 2>();
  const auto b = values.input<bfloat16, 2>();
  values.check(evaluate(cast<bfloat16>(cast<std::uint64_t>(clip(a, b, none)))));
});

const Case case_18(18, [](Values& values) {
  const auto a = values.input<std::uint8_t, 2>();
  const auto b = values.input<std::uint64_t, 1>();
  const auto c = values.input<std::uint64_t, 1>();
  const auto d = values.input<std::uint64_t, 1>();
  const auto e = values.input<std::uint64_t, 0>();
  values.check_text(to_string(subtract(
      multiply((prod<1>(a) - multiply(multiply(b, b), multiply(c, b))), multiply(multiply(b, d), c))(1, ellipsis), e)));
});

const Case case_19(19, [](Values& values) {
  const auto a = values.input<double, 3>();
  values.check(evaluate(stddev<1>(flip<0, -2, 2>(a), correction(1))));
});

const Case case_20(20, [](Values& values) {
  const auto a = values.input<std::uint16_t, 2>();
  const auto b = values.input<std::uint16_t, 2>();
  const auto c = values.input<std::uint16_t, 2>();
  const auto d = values.input<std::uint16_t, 2>();
  values.check(
      evaluate(minimum((floor(swapaxes(floor_divide(a, b), 1, -2)) | ceil((c % d))), clip(real(clip(c, 4, 1)), 4, 6))));
});

const Case case_21(21, [](Values& values) {
  const auto a = values.input<std::uint32_t, 1>();
  values.check(evaluate(cast<std::int64_t>(cast<std::uint32_t>(cast<std::complex<float>>(a)))));
});

const Case case_22(22, [](Values& values) {
  const auto a = values.input<float, 1>();
  const auto b = values.input<float, 1>();
  const Array<float, 1> result = leaky_relu(leaky_relu(leaky_relu(a, a(range(-1, none, 2))), b), b);
  values.check(result);
});

const Case case_23(23, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<bool, 2>();
  const auto c = values.input<bool, 3>();
  const auto d = values.input<float, 3>();
  const auto e = values.input<float, 2>();
  const auto f = values.input<float, 2>();
  const Array<float, 2> result =
      where(where(a, a(all), b), var<-3>(where(c, d, -3.00f), correction(1)), clip(e, f, 0.46));
  values.check(result);
});

const Case case_24(24, [](Values& values) {
  const auto a = values.input<std::int32_t, 2>();
  values.check_text(to_string(abs(round(clip(a, 8, 8)))));
});

const Case case_25(25, [](Values& values) {
  const auto a = values.input<float16, 1>();
  const auto b = values.input<float16, 0>();
  const auto c = values.input<float16, 0>();
  const auto d = values.input<float16, 0>();
  values.check(evaluate(leaky_relu(
      leaky_relu(leaky_relu(leaky_relu(leaky_relu(norm<NormOrder::infinity>(a), b), a(-1, ellipsis)), b), c), d)));
});

const Case case_26(26, [](Values& values) {
  const auto a = values.input<bfloat16, 3>();
  values.check(evaluate(make_view(a.data(), Dim{3, 1, 1})));
});

const Case case_27(27, [](Values& values) {
  const auto a = values.input<std::uint8_t, 3>();
  values.check(evaluate(moveaxis(stddev<-2, 2>(cast<float>((a & 8)), keepdims), 2, 0)));
});

const Case case_28(28, [](Values& values) {
  const auto a = values.input<float, 0>();
  values.check(evaluate(clip(clip(clip(a, -1.22, 1.00f), -4.00f, 2.17f), -2.75, none)));
});

const Case case_29(29, [](Values& values) {
  const auto a = values.input<float16, 4>();
  const auto b = values.input<std::int8_t, 1>();
  const auto c = values.input<std::int8_t, 2>();
  const Array<std::int8_t, 1> result = where(any(min<1>(cast<std::int32_t>(relu(cast<std::int64_t>(a)))), axis<-3, 2>),
                                             trunc((b << b(range(none, none, -1)))), squeeze<1>(c));
  values.check(result);
});

const Case case_30(30, [](Values& values) {
  const auto a = values.input<bool, 1>();
  const auto b = values.input<std::uint16_t, 1>();
  const auto c = values.input<std::uint16_t, 1>();
  const auto d = values.input<bool, 1>();
  const auto e = values.input<std::uint16_t, 1>();
  const auto f = values.input<std::uint16_t, 1>();
  values.check(evaluate(sliding_window<0>(
      ((where(a, b, c) >> bitwise_xor(b, bitwise_right_shift(c, b))) >> (where(d, e, e) >> (f >> f))), {4})));
});

const Case case_31(31, [](Values& values) {
  const auto a = values.input<double, 3>();
  values.check(evaluate(clip(var<0, 2>(clip(a, 0.9, 1.75)), -3.5, none)));
});

const Case case_32(32, [](Values& values) {
  const auto a = values.input<std::int8_t, 3>();
  const auto b = values.input<std::uint8_t, 2>();
  const auto c = values.input<std::uint16_t, 2>();
  const auto d = values.input<std::uint8_t, 3>();
  values.check(evaluate(
      subtract((~cast<std::uint8_t>((~a))), subtract((tile(b, {1, 2}) - cast<std::uint8_t>(c)), max<0>(d, keepdims)))));
});

const Case case_33(33, [](Values& values) {
  const auto a = values.input<bool, 3>();
  const auto b = values.input<float, 3>();
  const auto c = values.input<bool, 2>();
  const auto d = values.input<bool, 3>();
  const auto e = values.input<float, 2>();
  const Array<float, 3> result = where(make_view(a.data(), Dim{1, 1, 3}), where(a, b, b),
                                       where(where(a, c, d), e, where(d, b(range(none, none, -2), ellipsis), -3.75)));
  values.check(result);
});

const Case case_34(34, [](Values& values) {
  const auto a = values.input<std::uint64_t, 1>();
  values.check(evaluate(trunc(cast<std::int32_t>(clip(sign(a), 0, 6)))));
});

const Case case_35(35, [](Values& values) {
  const auto a = values.input<float16, 3>();
  const auto b = values.input<std::int32_t, 3>();
  const auto c = values.input<std::complex<double>, 3>();
  values.check_text(to_string((add(std::complex<double>(-2.02), cast<std::complex<double>>(cast<std::uint8_t>(a))) +
                               add(cast<std::complex<double>>(b), c))));
});

const Case case_36(36, [](Values& values) {
  const auto a = values.input<float, 1>();
  values.check(evaluate(leaky_relu(leaky_relu(a, a), a)));
});

const Case case_37(37, [](Values& values) {
  const auto a = values.input<std::uint64_t, 3>();
  const Array<std::uint64_t, 3> result = clip(clip(clip(a, 6, 6), 5, 8), 0, 8);
  values.check(result);
});

const Case case_38(38, [](Values& values) {
  const auto a = values.input<std::uint32_t, 0>();
  values.check(evaluate((+real(floor(real(a))))));
});

const Case case_39(39, [](Values& values) {
  const auto a = values.input<double, 2>();
  const auto b = values.input<double, 1>();
  values.check_text(
      to_string(broadcast_to(leaky_relu(leaky_relu(a, a(-1, range(-1, none))), b).reshape(-1, 1), Dim{2, 1, 2})));
});

}  // namespace
}  // namespace differential
