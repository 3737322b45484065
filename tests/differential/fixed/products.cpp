// Cases of seed 1, products: written by generate.py, with their values in products.txt.
#include "case.hpp"

namespace differential {
namespace {

const Case case_120(120, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<double, 2>();
  const auto c = values.input<double, 3>();
  values.check(evaluate(flip(dot(where(a, b, 1.72), var<0, -2>(c)))));
});

const Case case_121(121, [](Values& values) {
  const auto a = values.input<std::uint16_t, 2>();
  const auto b = values.input<std::uint16_t, 1>();
  const auto c = values.input<std::uint16_t, 1>();
  values.check(evaluate(cast<float16>(outer(vecdot(a, a(range(none, none), ellipsis)), multiply(b, c)))));
});

const Case case_122(122, [](Values& values) {
  const auto a = values.input<std::int32_t, 3>();
  const auto b = values.input<std::int32_t, 1>();
  const Array<std::int32_t, 1> result = min<0>(matmul(a, b));
  values.check(result);
});

const Case case_123(123, [](Values& values) {
  const auto a = values.input<std::uint8_t, 1>();
  const auto b = values.input<std::uint8_t, 1>();
  const Array<std::uint8_t, 2> result = matmul(outer(a, b), a(range(6, 1, -1))).reshape(3, 3);
  values.check(result);
});

const Case case_124(124, [](Values& values) {
  const auto a = values.input<float, 2>();
  const auto b = values.input<float, 2>();
  values.check(evaluate(swapaxes(leaky_relu(a, b), 0, 1)));
});

const Case case_125(125, [](Values& values) {
  const auto a = values.input<float, 3>();
  const auto b = values.input<float, 3>();
  const auto c = values.input<float, 4>();
  const auto d = values.input<float, 3>();
  values.check(evaluate(vecdot(vecdot(vecdot(a, b), c), d)));
});

const Case case_126(126, [](Values& values) {
  const auto a = values.input<std::int8_t, 2>();
  values.check(evaluate(clip(flip<0, 1>(a), 2, -1)));
});

const Case case_127(127, [](Values& values) {
  const auto a = values.input<std::int16_t, 2>();
  values.check(evaluate(a(all)(range(none, none, -1), range(1, none))));
});

const Case case_128(128, [](Values& values) {
  const auto a = values.input<std::uint16_t, 3>();
  const auto b = values.input<std::uint16_t, 1>();
  const auto c = values.input<std::uint16_t, 2>();
  values.check(evaluate(matmul((-make_view(a.data(), Dim{3, 4, 4})), matmul(b, c))));
});

const Case case_129(129, [](Values& values) {
  const auto a = values.input<std::complex<double>, 2>();
  const auto b = values.input<std::complex<double>, 2>();
  const auto c = values.input<std::complex<double>, 2>();
  values.check(evaluate(pow(squeeze<0>(dot(prod<1>((a + b)), c)), std::complex<double>(0.51))));
});

const Case case_130(130, [](Values& values) {
  const auto a = values.input<double, 1>();
  const auto b = values.input<double, 2>();
  const Array<double, 1> result = dot(layernorm(a), layernorm(b));
  values.check(result);
});

const Case case_131(131, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<bfloat16, 1>();
  const auto c = values.input<bfloat16, 1>();
  values.check(evaluate(where(a, outer(b, c), c)));
});

const Case case_132(132, [](Values& values) {
  const auto a = values.input<std::uint64_t, 3>();
  const auto b = values.input<std::uint16_t, 3>();
  const auto c = values.input<std::uint16_t, 3>();
  const Array<std::complex<float>, 3> result = cast<std::complex<float>>(matmul(a, matmul(b, c)));
  values.check(result);
});

const Case case_133(133, [](Values& values) {
  const auto a = values.input<std::int64_t, 1>();
  const auto b = values.input<std::int64_t, 1>();
  const auto c = values.input<std::int64_t, 2>();
  values.check(evaluate(outer(a, dot(b, c))));
});

const Case case_134(134, [](Values& values) {
  const auto a = values.input<std::uint32_t, 3>();
  const auto b = values.input<std::uint32_t, 1>();
  const Array<std::uint32_t, 1> result = vecdot(ceil(max<-1>(a)), outer(conj(b), b));
  values.check(result);
});

const Case case_135(135, [](Values& values) {
  const auto a = values.input<std::uint64_t, 1>();
  const auto b = values.input<std::uint64_t, 3>();
  values.check_text(to_string(clip(matmul(a, b), none, none)));
});

const Case case_136(136, [](Values& values) {
  const auto a = values.input<float, 3>();
  values.check(evaluate(standardise<1>(leaky_relu(a, a), 0.125)));
});

const Case case_137(137, [](Values& values) {
  const auto a = values.input<double, 3>();
  values.check(evaluate(broadcast_to(flatten(a), Dim{2, 2})));
});

const Case case_138(138, [](Values& values) {
  const auto a = values.input<std::complex<float>, 2>();
  const auto b = values.input<std::complex<float>, 1>();
  values.check(evaluate(outer(vecdot(a, a), dot(a(range(-4, none), range(5, 3, -1)), b))));
});

const Case case_139(139, [](Values& values) {
  const auto a = values.input<std::complex<double>, 2>();
  const Array<std::complex<double>, 1> result =
      subtract(std::complex<double>(1.25), vecdot(pow(a, std::complex<double>(0.5)), a));
  values.check(result);
});

const Case case_140(140, [](Values& values) {
  const auto a = values.input<float, 3>();
  const auto b = values.input<float, 1>();
  values.check(evaluate(dot(var<-3>(a, correction(1)), b)));
});

const Case case_141(141, [](Values& values) {
  const auto a = values.input<std::uint32_t, 2>();
  values.check_text(to_string(sliding_window<0>(vecdot(a, a(range(0, none), ellipsis)), {4})));
});

const Case case_142(142, [](Values& values) {
  const auto a = values.input<std::uint64_t, 3>();
  const auto b = values.input<std::uint64_t, 1>();
  const auto c = values.input<std::uint64_t, 1>();
  values.check(evaluate(outer(clip(a.sum<0, 2>(), 0, 0), matmul(outer(b, c), c))));
});

const Case case_143(143, [](Values& values) {
  const auto a = values.input<std::uint32_t, 1>();
  const auto b = values.input<std::uint8_t, 1>();
  values.check(evaluate(matmul(cast<std::uint8_t>(a), b)));
});

const Case case_144(144, [](Values& values) {
  const auto a = values.input<std::int8_t, 3>();
  const auto b = values.input<std::uint32_t, 3>();
  values.check_text(to_string(matmul(a, b)));
});

const Case case_145(145, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<std::int16_t, 2>();
  const auto c = values.input<std::int16_t, 1>();
  const auto d = values.input<std::int16_t, 3>();
  const auto e = values.input<std::int16_t, 3>();
  values.check(evaluate(matmul(where(a, b, c), matmul(d, e).max<1>())));
});

const Case case_146(146, [](Values& values) {
  const auto a = values.input<float16, 2>();
  values.check(evaluate(min(cast<std::int8_t>(a), 0)));
});

const Case case_147(147, [](Values& values) {
  const auto a = values.input<float16, 2>();
  const auto b = values.input<float16, 2>();
  const Array<float16, 2> result = dot(a, b);
  values.check(result);
});

const Case case_148(148, [](Values& values) {
  const auto a = values.input<float, 1>();
  const auto b = values.input<float, 1>();
  values.check(evaluate(outer(a, b)));
});

const Case case_149(149, [](Values& values) {
  const auto a = values.input<std::int32_t, 2>();
  const auto b = values.input<std::int32_t, 3>();
  const auto c = values.input<std::int32_t, 4>();
  values.check(evaluate(vecdot(clip(a, 0, 5), vecdot(broadcast_to(b, Dim{2, 2, 2, 2}), c))));
});

const Case case_150(150, [](Values& values) {
  const auto a = values.input<double, 3>();
  const auto b = values.input<double, 2>();
  values.check(evaluate(leaky_relu(reshape(a, {4, 2}), b)));
});

const Case case_151(151, [](Values& values) {
  const auto a = values.input<std::uint16_t, 2>();
  const auto b = values.input<std::uint16_t, 1>();
  const auto c = values.input<std::uint16_t, 1>();
  const auto d = values.input<std::uint16_t, 2>();
  const auto e = values.input<std::uint16_t, 2>();
  values.check(evaluate(dot(outer(dot(a, b), dot(square(c), d)), e)));
});

const Case case_152(152, [](Values& values) {
  const auto a = values.input<float, 4>();
  const auto b = values.input<float, 4>();
  const auto c = values.input<float, 4>();
  values.check(evaluate(vecdot(swapaxes(a, -2, 1), matmul((b * 0.41f), c))));
});

const Case case_153(153, [](Values& values) {
  const auto a = values.input<bool, 2>();
  const auto b = values.input<float, 2>();
  values.check(evaluate(softmax<-1>(where(a, b, 1.20f))));
});

const Case case_154(154, [](Values& values) {
  const auto a = values.input<bfloat16, 3>();
  const auto b = values.input<bfloat16, 2>();
  const auto c = values.input<bfloat16, 2>();
  values.check(evaluate(leaky_relu(leaky_relu(vecdot(a, flip<-2>(a)), b), c)));
});

const Case case_155(155, [](Values& values) {
  const auto a = values.input<float16, 3>();
  values.check(evaluate(logaddexp(logaddexp(a, -1.5), logaddexp(matmul(a, a(all)), 1.25))));
});

const Case case_156(156, [](Values& values) {
  const auto a = values.input<double, 3>();
  const auto b = values.input<double, 3>();
  values.check(evaluate(norm((a + b), axis<-3>)));
});

const Case case_157(157, [](Values& values) {
  const auto a = values.input<std::complex<double>, 1>();
  const Array<std::complex<double>, 1> result = make_view(a.data(), Dim{7});
  values.check(result);
});

const Case case_158(158, [](Values& values) {
  const auto a = values.input<std::int32_t, 2>();
  values.check_text(to_string(cast<std::uint8_t>(a)));
});

const Case case_159(159, [](Values& values) {
  const auto a = values.input<std::uint32_t, 2>();
  values.check(evaluate(max<0, 2>(expand_dims<0>(a))));
});

}  // namespace
}  // namespace differential
