// Cases of seed 6, products: written by generate.py, with their values in products.txt.
#include "case.hpp"

namespace differential {
namespace {

const Case case_120(120, [](Values& values) {
  const auto a = values.input<float, 1, CpuPlace>();
  const auto b = values.input<float, 2, CpuPlace>();
  const auto c = values.input<float, 1, CpuPlace>();
  values.check(evaluate(vecdot(dot(a, b), c)));
});

const Case case_121(121, [](Values& values) {
  const auto a = values.input<float, 3>();
  values.check(evaluate(broadcast_to(stddev<2>(log_softmax<-1>(a), correction(1)), Dim{2, 3})));
});

const Case case_122(122, [](Values& values) {
  const auto a = values.input<float16, 4, CpuPlace>();
  const auto b = values.input<float16, 4, CpuPlace>();
  values.check(evaluate(vecdot(sigmoid(a), layernorm<2>(b))));
});

const Case case_123(123, [](Values& values) {
  const auto a = values.input<std::complex<double>, 3, CpuPlace>();
  values.check(evaluate(vecdot(multiply(a, a), a)));
});

const Case case_124(124, [](Values& values) {
  const auto a = values.input<double, 4, CpuPlace>();
  values.check(evaluate(norm<NormOrder::minus_infinity, 1>(erf(a))));
});

const Case case_125(125, [](Values& values) {
  const auto a = values.input<std::uint32_t, 3>();
  values.check(evaluate(min<-1>(min(a, -2))));
});

const Case case_126(126, [](Values& values) {
  const auto a = values.input<std::uint8_t, 2, CpuPlace>();
  values.check(evaluate(matmul(ones<std::uint8_t>(3, 4), a)));
});

const Case case_127(127, [](Values& values) {
  const auto a = values.input<bfloat16, 2, CpuPlace>();
  values.check(evaluate(log_softmax<0>(sin(a))));
});

const Case case_128(128, [](Values& values) {
  const auto a = values.input<float, 4>();
  values.check(evaluate(var<-2, -1>(vecdot(a, a), keepdims, correction(1))));
});

const Case case_129(129, [](Values& values) {
  const auto a = values.input<std::int32_t, 1, CpuPlace>();
  const auto b = values.input<std::int32_t, 3, CpuPlace>();
  values.check(evaluate(bitwise_xor(vecdot(a, a), trunc(b.max<0, 1, 2>()))));
});

const Case case_130(130, [](Values& values) {
  const auto a = values.input<double, 2, CpuPlace>();
  const Array<double, 1, CpuPlace> result = softmax<0>(norm<1>(a));
  values.check(result);
});

const Case case_131(131, [](Values& values) {
  const auto a = values.input<std::int8_t, 2>();
  const auto b = values.input<std::int8_t, 2>();
  values.check_text(to_string(vecdot((ones<std::int8_t>(19, 5) - a), relu(b))));
});

const Case case_132(132, [](Values& values) {
  const auto a = values.input<std::uint64_t, 3, CpuPlace>();
  values.check(evaluate(flip<-2, 1>(a.reshape(6, 4))));
});

const Case case_133(133, [](Values& values) {
  values.check(evaluate(max<0>(matrix_transpose(max<0>(zeros<std::uint16_t>(4, 0, 6))))));
});

const Case case_134(134, [](Values& values) {
  const auto a = values.input<std::int64_t, 3, CpuPlace>();
  const auto b = values.input<std::int64_t, 1, CpuPlace>();
  const Array<std::int64_t, 1, CpuPlace> result = squeeze<1>(matmul(a, b));
  values.check(result);
});

const Case case_135(135, [](Values& values) {
  const auto a = values.input<std::int16_t, 1, CpuPlace>();
  values.check(evaluate(outer(flip(a), a(range(none, 3)))));
});

const Case case_136(136, [](Values& values) {
  const auto a = values.input<float16, 1, CpuPlace>();
  values.check(evaluate(flip(cast<std::complex<float>>(a))(1, ellipsis)));
});

const Case case_137(137, [](Values& values) {
  const auto a = values.input<float, 2, CpuPlace>();
  values.check(evaluate(norm<NormOrder::minus_infinity>(a)));
});

const Case case_138(138, [](Values& values) {
  const auto a = values.input<std::uint32_t, 3, CpuPlace>();
  const auto b = values.input<std::uint32_t, 3, CpuPlace>();
  const auto c = values.input<std::uint32_t, 3, CpuPlace>();
  values.check_text(to_string(vecdot(add(clip(a, 1, 5), b), c)));
});

const Case case_139(139, [](Values& values) {
  const auto a = values.input<std::complex<double>, 3, CpuPlace>();
  values.check(evaluate(flatten(prod<1, 2>(a))));
});

const Case case_140(140, [](Values& values) {
  const auto a = values.input<std::complex<float>, 2>();
  const auto b = values.input<std::complex<float>, 2>();
  const auto c = values.input<std::complex<float>, 2>();
  values.check(evaluate(vecdot(matmul(a, b), c)));
});

const Case case_141(141, [](Values& values) {
  const auto a = values.input<double, 2, CpuPlace>();
  const auto b = values.input<double, 2, CpuPlace>();
  const Array<double, 2, CpuPlace> result = matmul(a, b);
  values.check(result);
});

const Case case_142(142, [](Values& values) {
  const auto a = values.input<std::uint8_t, 4, CpuPlace>();
  values.check(evaluate(min<1>(vecdot(a, a))));
});

const Case case_143(143, [](Values& values) {
  const auto a = values.input<float, 2, CpuPlace>();
  const auto b = values.input<float, 2, CpuPlace>();
  const auto c = values.input<float, 2, CpuPlace>();
  const Array<float, 1, CpuPlace> result = vecdot(dot(a, b), c);
  values.check(result);
});

const Case case_144(144, [](Values& values) {
  const auto a = values.input<std::int32_t, 1, CpuPlace>();
  values.check(evaluate(ceil((a + a))));
});

const Case case_145(145, [](Values& values) {
  const auto a = values.input<std::uint16_t, 2>();
  const auto b = values.input<std::uint16_t, 2>();
  const auto c = values.input<std::uint16_t, 1>();
  values.check_text(to_string(vecdot(vecdot(a, b), make_view(c.data(), Dim{1}))));
});

const Case case_146(146, [](Values& values) {
  const auto a = values.input<std::int64_t, 1, CpuPlace>();
  const auto b = values.input<std::int64_t, 2, CpuPlace>();
  values.check(evaluate(matmul(broadcast_to(a, Dim{6, 3}), b)));
});

const Case case_147(147, [](Values& values) {
  const auto a = values.input<std::int8_t, 2>();
  const auto b = values.input<std::int8_t, 2>();
  values.check_text(to_string(sign(flatten(matmul(a, b)))));
});

const Case case_148(148, [](Values& values) {
  const auto a = values.input<double, 1>();
  values.check(evaluate(vecdot(standardise<0>(a, 0.125),
                               stddev<-2, -1>(standardise<-2>(full(Dim{21, 4, 1}, double(0)), 0.125), correction(1)))));
});

const Case case_149(149, [](Values& values) {
  const auto a = values.input<double, 2, CpuPlace>();
  values.check(evaluate(vecdot(sliding_window<1>(a, {3}), full(Dim{6, 3, 3}, double(0)))));
});

const Case case_150(150, [](Values& values) {
  const auto a = values.input<float16, 1>();
  const auto b = values.input<float16, 2>();
  values.check(evaluate(dot(flip<0>(a), b)));
});

const Case case_151(151, [](Values& values) {
  const auto a = values.input<float, 3>();
  values.check(evaluate(norm<1>(layernorm<1>(a), 3)));
});

const Case case_152(152, [](Values& values) {
  const auto a = values.input<bfloat16, 2>();
  values.check(evaluate(flip(a)));
});

const Case case_153(153, [](Values& values) {
  const auto a = values.input<float, 2, CpuPlace>();
  const auto b = values.input<float, 1, CpuPlace>();
  values.check(evaluate(squeeze<0>(tan(dot(a, b)))));
});

const Case case_154(154, [](Values& values) {
  const auto a = values.input<std::int16_t, 2, CpuPlace>();
  const auto b = values.input<std::uint8_t, 2, CpuPlace>();
  values.check(evaluate(dot(vecdot(a, a), vecdot(eye<std::int16_t>(1, 4), b))));
});

const Case case_155(155, [](Values& values) {
  const auto a = values.input<std::int32_t, 2, CpuPlace>();
  const Array<std::uint64_t, 2, CpuPlace> result = conj(cast<std::uint64_t>(a));
  values.check(result);
});

const Case case_156(156, [](Values& values) {
  const auto a = values.input<float16, 1>();
  const auto b = values.input<bfloat16, 1>();
  values.check_text(to_string((a - b)));
});

const Case case_157(157, [](Values& values) {
  const auto a = values.input<float, 3, CpuPlace>();
  const auto b = values.input<std::int64_t, 3, CpuPlace>();
  const Array<float, 2, CpuPlace> result = vecdot(atan(a), cast<float>(b));
  values.check(result);
});

const Case case_158(158, [](Values& values) {
  const auto a = values.input<std::uint64_t, 1, CpuPlace>();
  const auto b = values.input<std::uint64_t, 2, CpuPlace>();
  values.check(evaluate(outer(broadcast_to(a, Dim{2}), vecdot(b, b))));
});

const Case case_159(159, [](Values& values) {
  const auto a = values.input<float, 2, CpuPlace>();
  const auto b = values.input<float, 4, CpuPlace>();
  const auto c = values.input<float, 3, CpuPlace>();
  const auto d = values.input<float, 2, CpuPlace>();
  values.check(evaluate(dot(vecdot(vecdot(a, log_softmax<-1>(b)), c), d)));
});

}  // namespace
}  // namespace differential
