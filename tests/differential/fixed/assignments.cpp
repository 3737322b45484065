// Cases of seed 6, assignments: written by generate.py, with their values in assignments.txt.
#include "case.hpp"

namespace differential {
namespace {

const Case case_160(160, [](Values& values) {
  auto a = values.input<float, 2, CpuPlace>();
  a(range(none, none, -1), range(-2, 0, -1)) = 3.25;
  auto b = values.input<bfloat16, 2, CpuPlace>();
  auto c = values.input<float16, 3, CpuPlace>();
  a(range(none, none, 3), range(none, 3)) = logaddexp(b, c(range(none, none, -1), -1, ellipsis));
  values.check(a);
});

const Case case_161(161, [](Values& values) {
  auto a = values.input<float, 2>();
  auto b = values.input<float, 1>();
  a(-4, range(2, none)) = take(b, make_array<std::int32_t>({1, -2}));
  auto c = values.input<float, 2>();
  cumulative_prod_into<1>(a.T(), c);
  values.check(a);
});

const Case case_162(162, [](Values& values) {
  auto a = values.input<bfloat16, 3, CpuPlace>();
  a(range(none, 1), 1, range(none, 0, -1)) = flip(a(range(1, none, 2), range(0, none, -1), -1));
  a(all, 1, ellipsis) = leaky_relu(a(0, 0, range(-2, 1, 2)), -2.0);
  values.check(a);
});

const Case case_163(163, [](Values& values) {
  auto a = values.input<std::uint8_t, 1>();
  auto b = values.input<std::uint8_t, 1>();
  a += tile(b, {2});
  auto c = values.input<bool, 1>();
  auto d = values.input<std::uint8_t, 1>();
  auto e = values.input<std::uint8_t, 1>();
  a(range(0, 1, 2)) = max(where(c, d, e), keepdims);
  values.check(a);
});

const Case case_164(164, [](Values& values) {
  auto a = values.input<float, 3>();
  auto b = values.input<float, 2>();
  a = stack<1>(std::vector<Array<float, 2>>{b, b});
  auto c = values.input<double, 2>();
  a(range(-2, 0, -1), range(1, none), 2) = copysign(c, -2.5);
  values.check(a);
});

const Case case_165(165, [](Values& values) {
  auto a = values.input<std::uint64_t, 1, CpuPlace>();
  auto b = a;
  auto c = values.input<std::uint64_t, 1, CpuPlace>();
  b *= c;
  a(range(-7, 6)) = 8;
  values.check(a);
  values.check(b);
});

const Case case_166(166, [](Values& values) {
  auto a = values.input<float, 2, CpuPlace>();
  auto b = a;
  a(range(-4, 4), -5) = b(2, range(-5, none, 2));
  sort_into<0>(a.T(), multiply(b, 2.77f));
  a /= flip(a(all, range(0, none)));
  values.check(a);
  values.check(b);
});

const Case case_167(167, [](Values& values) {
  auto a = values.input<bool, 3>();
  a.T() = a(all, 1, 1);
  values.check(a);
});

const Case case_168(168, [](Values& values) {
  auto a = values.input<std::int16_t, 3>();
  a = (+a);
  auto b = values.input<std::int16_t, 3>();
  a = copy(flip<0, 1, 2>(b));
  values.check(a);
});

const Case case_169(169, [](Values& values) {
  auto a = values.input<float16, 3, CpuPlace>();
  auto b = a;
  b(range(1, none, 1), all, range(0, none, -2)) = -1.75;
  auto c = values.input<float16, 3, CpuPlace>();
  a.T() = c;
  values.check(a);
  values.check(b);
});

const Case case_170(170, [](Values& values) {
  auto a = values.input<std::uint32_t, 2, CpuPlace>();
  auto b = values.input<bool, 2, CpuPlace>();
  sort_into<0>(a(range(none, none, -2), range(0, none, -2)), where(b, a(range(2, none, -1), range(-1, none)), 5));
  auto c = values.input<std::uint32_t, 2, CpuPlace>();
  a.T() <<= c(range(0, none, 1), range(1, 6));
  values.check(a);
});

const Case case_171(171, [](Values& values) {
  auto a = values.input<std::int32_t, 2>();
  auto b = a;
  b(range(-1, none, 1), range(0, none, -1)) = a(range(1, 2), range(-2, 2));
  a >>= relu(a);
  values.check(a);
  values.check(b);
});

const Case case_172(172, [](Values& values) {
  auto a = values.input<std::uint16_t, 2, CpuPlace>();
  auto b = a;
  auto c = values.input<std::uint8_t, 2, CpuPlace>();
  b(range(1, none), range(-2, none, 1)) = c;
  b %= tile(b(2, ellipsis), {1});
  values.check(a);
  values.check(b);
});

const Case case_173(173, [](Values& values) {
  auto a = values.input<float, 3>();
  auto b = a;
  auto c = values.input<float, 2>();
  b(all, -1, -1) = vecdot(c, c(all, range(none, none, -1)));
  a(range(none, none, -2), range(0, 1), range(none, none)) -= a(range(0, none, 3), range(1, 0, -2), ellipsis);
  auto d = values.input<float, 3>();
  b -= d(range(2, none), range(none, none, 1), ellipsis);
  values.check(a);
  values.check(b);
});

const Case case_174(174, [](Values& values) {
  auto a = values.input<std::int64_t, 1>();
  auto b = a;
  auto c = values.input<std::int64_t, 2>();
  cumulative_sum_into(a(range(none, none, 1)), squeeze<0>(c));
  a = (b(all) | a);
  values.check(a);
  values.check(b);
});

const Case case_175(175, [](Values& values) {
  auto a = values.input<float, 2, CpuPlace>();
  auto b = a;
  auto c = values.input<double, 2, CpuPlace>();
  a(ellipsis) = c;
  auto d = values.input<float, 1, CpuPlace>();
  auto e = values.input<bool, 1, CpuPlace>();
  b = outer(d, where(e, d, -3.5));
  values.check(a);
  values.check(b);
});

const Case case_176(176, [](Values& values) {
  auto a = values.input<double, 2, CpuPlace>();
  auto b = values.input<double, 2, CpuPlace>();
  a(range(1, none), range(1, none)) *= b;
  a(range(1, none), range(none, 0, -2)) = -2.78;
  values.check(a);
});

const Case case_177(177, [](Values& values) {
  auto a = values.input<double, 3, CpuPlace>();
  a.T() = softmax<1>(atan2(-0.28, a));
  auto b = values.input<double, 3, CpuPlace>();
  cumulative_sum_into<0>(a(ellipsis), b);
  values.check(a);
});

const Case case_178(178, [](Values& values) {
  auto a = values.input<std::complex<double>, 2, CpuPlace>();
  a(ellipsis) = a;
  auto b = values.input<std::complex<double>, 2, CpuPlace>();
  a.T() = b;
  values.check(a);
});

const Case case_179(179, [](Values& values) {
  auto a = values.input<std::complex<float>, 2, CpuPlace>();
  auto b = a;
  a(range(3, none, 1), range(-5, 4)) /= std::complex<float>(1.75);
  a(range(3, none, 2), -5) = b(range(1, none, 3), range(1, none, 3))(0, range(1, none, 3))(all);
  values.check(a);
  values.check(b);
});

const Case case_180(180, [](Values& values) {
  auto a = values.input<std::int8_t, 2>();
  a(range(2, none), range(none, 3)) = 8;
  auto b = values.input<std::int8_t, 1>();
  a = copy(reshape((b << -4), {3, 4}));
  auto c = values.input<std::int8_t, 3>();
  a &= c.min<0>();
  values.check(a);
});

const Case case_181(181, [](Values& values) {
  auto a = values.input<std::int32_t, 2, CpuPlace>();
  a |= 8;
  auto b = values.input<std::uint16_t, 1, CpuPlace>();
  a(all, -5) = b;
  a |= 5;
  values.check(a);
});

const Case case_182(182, [](Values& values) {
  auto a = values.input<float, 2>();
  a += reshape(a(range(-4, none, -1), range(none, 0, -2)), 1, 4);
  auto b = values.input<float, 1>();
  a = copy(reshape(b, {5, -1}));
  values.check(a);
});

const Case case_183(183, [](Values& values) {
  auto a = values.input<std::uint16_t, 3>();
  auto b = a;
  b(range(0, 1), all, range(none, none)) = (b(0, 0, ellipsis) * 70000);
  auto c = values.input<std::uint16_t, 1>();
  b = copy(broadcast_to(c, Dim{2, 3, 3}));
  values.check(a);
  values.check(b);
});

const Case case_184(184, [](Values& values) {
  auto a = values.input<std::int16_t, 1, CpuPlace>();
  auto b = values.input<std::int16_t, 1, CpuPlace>();
  a(range(2, none, -2)) ^= b;
  a(ellipsis) = 5;
  values.check(a);
});

const Case case_185(185, [](Values& values) {
  auto a = values.input<std::uint32_t, 2>();
  auto b = a;
  auto c = values.input<std::uint32_t, 2>();
  a ^= (c % 2);
  auto d = values.input<std::uint32_t, 1>();
  b(ellipsis) = repeat<0>(d, 2);
  b &= 1;
  values.check(a);
  values.check(b);
});

const Case case_186(186, [](Values& values) {
  auto a = values.input<float, 2, CpuPlace>();
  a(range(0, none, 1), range(none, none)) = -2.46f;
  auto b = values.input<float, 1, CpuPlace>();
  a(-3, range(-1, none, 3)) = b;
  a(range(none, none), ellipsis) /= 3.5;
  values.check(a);
});

const Case case_187(187, [](Values& values) {
  auto a = values.input<std::complex<float>, 3, CpuPlace>();
  a(range(0, none), range(-2, none, -1), range(-2, none)) += std::complex<float>(-3.75);
  a(range(none, none, 3), -3, range(none, 1)) = a(-2, range(1, 2), range(1, 2));
  values.check(a);
});

const Case case_188(188, [](Values& values) {
  auto a = values.input<bfloat16, 3, CpuPlace>();
  auto b = a;
  auto c = values.input<bool, 3, CpuPlace>();
  a.T() = lgamma(where(c, b, 2.5));
  auto d = values.input<bfloat16, 3, CpuPlace>();
  a(range(none, 1), range(0, none, 1), ellipsis) = hypot(d, d);
  b(ellipsis) = a(range(-2, none, 1), ellipsis);
  values.check(a);
  values.check(b);
});

const Case case_189(189, [](Values& values) {
  auto a = values.input<std::complex<double>, 2>();
  a = subtract(flip<0, 1>(a), a(all, range(-3, none)));
  auto b = values.input<std::complex<double>, 2>();
  a(range(none, none), range(1, 2)) = flip<0, 1>(b);
  values.check(a);
});

const Case case_190(190, [](Values& values) {
  auto a = values.input<double, 3>();
  auto b = values.input<double, 3>();
  a -= b(range(none, none, 2), range(-4, none, 2), range(-2, none, 1));
  sort_into<1>(a.T(), a);
  a -= broadcast_to(a(-2, range(1, none), ellipsis), Dim{2, 2, 2});
  values.check(a);
});

const Case case_191(191, [](Values& values) {
  auto a = values.input<double, 2, CpuPlace>();
  auto b = a;
  flip(b) *= a(all);
  auto c = values.input<double, 3, CpuPlace>();
  flip(a) = logsumexp(c, axis<1>);
  auto d = values.input<double, 2, CpuPlace>();
  b(0, ellipsis) = logsumexp<-1>(d);
  values.check(a);
  values.check(b);
});

const Case case_192(192, [](Values& values) {
  auto a = values.input<float, 2, CpuPlace>();
  a /= a;
  a.T() = -2.75;
  values.check(a);
});

const Case case_193(193, [](Values& values) {
  auto a = values.input<std::int8_t, 1, CpuPlace>();
  a(range(none, 1, -1)) = take(a(range(0, 3)), make_array<std::int32_t>({-1, -1, 1, -1, -2}));
  auto b = values.input<std::int8_t, 1, CpuPlace>();
  a(range(5, none)) <<= ceil((b + b));
  values.check(a);
});

const Case case_194(194, [](Values& values) {
  auto a = values.input<float, 2>();
  auto b = a;
  a = angle(zeros<std::complex<float>>(5, 5));
  auto c = values.input<float, 2>();
  a(range(1, 4, 1), range(none, 4)) *= c;
  values.check(a);
  values.check(b);
});

const Case case_195(195, [](Values& values) {
  auto a = values.input<float16, 3>();
  a += -1.75;
  a += reshape(a(range(0, none, 2), range(-2, 0, -1), range(-1, none, 3)), {1, 1, 2});
  values.check(a);
});

const Case case_196(196, [](Values& values) {
  auto a = values.input<bool, 2>();
  auto b = a;
  a(range(-2, none, -1), range(none, 2)) ^= repeat<1>(b(range(1, none, 2), range(2, 4)), 1);
  values.check(a);
  values.check(b);
});

const Case case_197(197, [](Values& values) {
  auto a = values.input<std::uint8_t, 3>();
  auto b = a;
  b = matmul(ones<std::uint8_t>(2, 3, 3), b(range(-2, none), range(-3, none, 1), ellipsis));
  a = clip(a(all, range(0, none), ellipsis), none, 2);
  auto c = values.input<std::uint8_t, 3>();
  b(all, range(-2, none, -1), range(0, none, 1)) = (c >> flip(c));
  values.check(a);
  values.check(b);
});

const Case case_198(198, [](Values& values) {
  auto a = values.input<float, 2, CpuPlace>();
  auto b = a;
  b /= broadcast_to(b(-3, ellipsis), Dim{4});
  values.check(a);
  values.check(b);
});

const Case case_199(199, [](Values& values) {
  auto a = values.input<std::uint64_t, 2, CpuPlace>();
  auto b = values.input<std::uint64_t, 2, CpuPlace>();
  a = copy(swapaxes(b, 1, 0));
  a(range(-3, none, 2), 1) = tile(b(-2, range(2, none)), {1});
  a(all) >>= 6;
  values.check(a);
});

}  // namespace
}  // namespace differential
