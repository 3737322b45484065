// Cases of seed 1, assignments: written by generate.py, with their values in assignments.txt.
#include "case.hpp"

namespace differential {
namespace {

const Case case_160(160, [](Values& values) {
  auto a = values.input<float, 2>();
  a(all, range(none, none, -1)) = -3.25;
  auto b = values.input<float, 1>();
  a(range(1, none, -1), range(-2, none, -2)) = sliding_window<-1>(broadcast_to(b, Dim{2}), {1});
  auto c = values.input<float, 1>();
  auto d = values.input<float, 1>();
  a = copy(sliding_window<0>(concat<0>(std::vector<Array<float, 1>>{c, d}), {2}));
  values.check(a);
});

const Case case_161(161, [](Values& values) {
  auto a = values.input<float, 3>();
  auto b = a;
  auto c = values.input<float, 2>();
  auto d = values.input<float, 1>();
  flip(a) = matmul(c, d);
  b(range(0, none), range(0, 1, 3), ellipsis) *=
      flip(clip(b(range(none, none), range(none, 0, -1), ellipsis), 0.62, 2.50f));
  auto e = values.input<float, 3>();
  sort_into<0>(a(ellipsis), e, descending);
  values.check(a);
  values.check(b);
});

const Case case_162(162, [](Values& values) {
  auto a = values.input<std::int32_t, 2>();
  a /= 0;
  auto b = values.input<std::int16_t, 1>();
  a(all) = b;
  a %= -2;
  values.check(a);
});

const Case case_163(163, [](Values& values) {
  auto a = values.input<float16, 3>();
  auto b = a;
  auto c = values.input<bool, 1>();
  auto d = values.input<bool, 3>();
  a = where(c.reshape(2, 2, 3), b, where(d, b(range(none, none), range(none, none), range(-3, none)), -3.25));
  auto e = values.input<float16, 3>();
  b(range(none, 1, 2), range(none, none, 1), ellipsis) = e;
  values.check(a);
  values.check(b);
});

const Case case_164(164, [](Values& values) {
  auto a = values.input<std::int64_t, 3>();
  auto b = values.input<std::int64_t, 1>();
  a(-1, range(1, none), range(-2, none, -1)) = pad(b, {{0, 0}}, 2);
  auto c = values.input<std::int64_t, 3>();
  a.T() = pad(c, {{0, 0}, {0, 0}, {0, 0}}, PadMode::edge);
  values.check(a);
});

const Case case_165(165, [](Values& values) {
  auto a = values.input<std::int16_t, 3>();
  auto b = a;
  a.T() = 5;
  auto c = values.input<std::int16_t, 4>();
  a -= swapaxes(vecdot(c, c(all, range(none, none, -1), range(none, none), ellipsis)), -3, -2);
  values.check(a);
  values.check(b);
});

const Case case_166(166, [](Values& values) {
  auto a = values.input<bool, 3>();
  auto b = a;
  auto c = values.input<std::uint16_t, 3>();
  a = repeat<-2>(isfinite(c), 1);
  a(range(0, none, 2), 0, range(none, none, -2)) |= repeat<0>(b(-3, range(0, none, -2), range(none, 0, -1)), 2);
  values.check(a);
  values.check(b);
});

const Case case_167(167, [](Values& values) {
  auto a = values.input<std::uint32_t, 2>();
  auto b = a;
  b.T() = 7;
  auto c = values.input<double, 1>();
  a = outer(cast<std::uint32_t>(subtract(c, -3.25)), b(range(2, 0, -1), 0));
  values.check(a);
  values.check(b);
});

const Case case_168(168, [](Values& values) {
  auto a = values.input<std::complex<double>, 2>();
  auto b = a;
  auto c = values.input<std::complex<double>, 2>();
  cumulative_prod_into<0>(b.T(), c(range(1, 5), range(none, none, -1)));
  cumulative_prod_into<0>(a(range(2, none, -1), ellipsis), c(range(-2, 0, -2), range(none, none, -1)));
  auto d = values.input<std::complex<double>, 2>();
  a.T() += roll<1, 0>(d, -1, -4);
  values.check(a);
  values.check(b);
});

const Case case_169(169, [](Values& values) {
  auto a = values.input<float, 2>();
  auto b = values.input<float, 2>();
  a(all, range(1, none)) = logsumexp<1>(broadcast_to(b, Dim{4, 6, 2}));
  auto c = values.input<float, 1>();
  sort_into<0>(a(range(0, 3), 1), c);
  values.check(a);
});

const Case case_170(170, [](Values& values) {
  auto a = values.input<float, 1>();
  auto b = a;
  auto c = values.input<float, 3>();
  a = norm<NormOrder::minus_infinity, -2, -1>(clip(c, 3.25, none));
  a(range(none, none, 1)) = -1.75;
  auto d = values.input<float, 3>();
  a -= norm<NormOrder::minus_infinity, 1, -1>(d);
  values.check(a);
  values.check(b);
});

const Case case_171(171, [](Values& values) {
  auto a = values.input<std::complex<float>, 2>();
  auto b = a;
  auto c = values.input<std::complex<double>, 1>();
  a(1, range(2, 3)) = atan(c);
  auto d = values.input<std::complex<float>, 1>();
  a.T() *= expand_dims<1>(asin(d));
  values.check(a);
  values.check(b);
});

const Case case_172(172, [](Values& values) {
  auto a = values.input<double, 3>();
  auto b = values.input<double, 1>();
  auto c = values.input<double, 2>();
  a(range(none, none, -1), ellipsis) /= tile(matmul(b, c), {1});
  auto d = values.input<double, 2>();
  sort_into<0>(a(all, range(none, none, -1), -1), d);
  values.check(a);
});

const Case case_173(173, [](Values& values) {
  auto a = values.input<std::uint64_t, 2>();
  auto b = values.input<bool, 3>();
  auto c = values.input<std::uint64_t, 3>();
  a <<= squeeze<0>(where(b, c, c));
  a(range(1, 2), range(-4, 0, -2)) ^= 2;
  a(-3, ellipsis) = pad(reshape(a(range(1, 2), range(none, 3, -1)), 1), {{0, 0}}, PadMode::wrap);
  values.check(a);
});

const Case case_174(174, [](Values& values) {
  auto a = values.input<float, 2>();
  a(-2, range(none, none, -1)) = flip(a(range(none, none), 0));
  auto b = values.input<float, 1>();
  a(range(none, none, -1), -1) = roll<-1>(leaky_relu(a(0, ellipsis), b), 2);
  values.check(a);
});

const Case case_175(175, [](Values& values) {
  auto a = values.input<double, 1>();
  auto b = a;
  a(range(1, none, 2)) = -0.5;
  auto c = values.input<double, 2>();
  b = copy(c(-1, ellipsis));
  a(range(none, none, 1)) = -2.24;
  values.check(a);
  values.check(b);
});

const Case case_176(176, [](Values& values) {
  auto a = values.input<float, 1>();
  cumulative_sum_into(flip(a), tile(a, {1}));
  auto b = values.input<float, 2>();
  auto c = values.input<float, 2>();
  auto d = values.input<float, 1>();
  flip(a) = vecdot(nextafter(b, c), stack<0>(d, d(range(none, none, -1)), c(-2, ellipsis)));
  a(range(none, 1, -2)) += leaky_relu(a(range(2, none, 1)), d(range(7, 6, -1)));
  values.check(a);
});

const Case case_177(177, [](Values& values) {
  auto a = values.input<std::uint16_t, 1>();
  auto b = a;
  auto c = values.input<std::complex<float>, 1>();
  flip(a) &= cast<std::uint16_t>(c);
  auto d = values.input<std::uint16_t, 1>();
  a >>= multiply(take(a(range(-5, none, 3)), make_array<std::int64_t>({-1})), clip(d, 3, 6));
  values.check(a);
  values.check(b);
});

const Case case_178(178, [](Values& values) {
  auto a = values.input<std::uint8_t, 3>();
  auto b = a;
  auto c = values.input<std::uint8_t, 3>();
  b(all, range(none, none, 2), range(-3, 1)) = matmul(b(all, range(none, 0, -1), range(none, none, -2)), c);
  b >>= round(b(all));
  b |= a(0, all, 1);
  values.check(a);
  values.check(b);
});

const Case case_179(179, [](Values& values) {
  auto a = values.input<std::int8_t, 2>();
  sort_into<0>(a(range(none, 3, -1), -2), clip(a(range(0, none, -2), 3), none, 8));
  auto b = values.input<std::int8_t, 1>();
  a(0, range(-2, 1, -1)) = clip(clip(a(1, range(-4, 1)), b, 4), b, 7);
  auto c = values.input<std::int8_t, 3>();
  flip(a) = c.min<0>();
  values.check(a);
});

const Case case_180(180, [](Values& values) {
  auto a = values.input<bfloat16, 2>();
  auto b = values.input<bfloat16, 1>();
  a = subtract(a(range(none, none), range(-5, none)), b);
  auto c = values.input<bool, 1>();
  auto d = values.input<bfloat16, 2>();
  a = where(c, a, d);
  values.check(a);
});

const Case case_181(181, [](Values& values) {
  auto a = values.input<std::int8_t, 3>();
  a(ellipsis) = -5;
  a(range(none, 2), all, -1) ^= stack<0>(a(-1, 1, range(0, none, 1)), a(range(-3, 2), 1, -2));
  auto b = values.input<std::int8_t, 3>();
  a <<= b;
  values.check(a);
});

const Case case_182(182, [](Values& values) {
  auto a = values.input<float, 1>();
  a *= 0.51f;
  auto b = values.input<float, 1>();
  a(range(-2, none, -2)) /= b;
  values.check(a);
});

const Case case_183(183, [](Values& values) {
  auto a = values.input<bfloat16, 1>();
  auto b = a;
  flip(a) = 0.5;
  a(range(none, 3)) = -3.25;
  values.check(a);
  values.check(b);
});

const Case case_184(184, [](Values& values) {
  auto a = values.input<std::int16_t, 2>();
  a %= 0;
  a(-3, -1, ellipsis) = (a(-1, -2, ellipsis) ^ a(-1, 0, ellipsis));
  values.check(a);
});

const Case case_185(185, [](Values& values) {
  auto a = values.input<std::complex<float>, 3>();
  auto b = values.input<std::int8_t, 4>();
  a.T() -= cast<std::complex<float>>(cast<float>(max<2>(b)));
  values.check(a);
});

const Case case_186(186, [](Values& values) {
  auto a = values.input<float16, 1>();
  auto b = a;
  a += 3.0;
  flip(a) = -3.0;
  values.check(a);
  values.check(b);
});

const Case case_187(187, [](Values& values) {
  auto a = values.input<std::uint64_t, 1>();
  auto b = values.input<bool, 1>();
  flip(a) = where(b, a, a(range(none, none, -1)));
  values.check(a);
});

const Case case_188(188, [](Values& values) {
  auto a = values.input<bool, 2>();
  auto b = values.input<bool, 2>();
  a(ellipsis) = matrix_transpose(b);
  auto c = values.input<bool, 1>();
  a(all, 2) = c;
  values.check(a);
});

const Case case_189(189, [](Values& values) {
  auto a = values.input<std::complex<double>, 2>();
  auto b = values.input<std::complex<double>, 1>();
  cumulative_sum_into<0>(a.T(), sliding_window<-1>(b, {5}));
  auto c = values.input<std::complex<double>, 0>();
  a(2, -1, ellipsis) = log1p(c);
  values.check(a);
});

const Case case_190(190, [](Values& values) {
  auto a = values.input<std::int64_t, 2>();
  auto b = a;
  auto c = values.input<std::uint32_t, 1>();
  a(ellipsis) = (pad(c, {{0, 0}}, PadMode::edge) * b(0, range(none, 2, -1)));
  auto d = values.input<std::int16_t, 2>();
  auto e = values.input<std::uint32_t, 2>();
  b = copy(broadcast_to(concat<-1>(d, e, d), Dim{5, 4}));
  a &= a(range(-5, none), range(0, none, 1))(all);
  values.check(a);
  values.check(b);
});

const Case case_191(191, [](Values& values) {
  auto a = values.input<std::uint32_t, 2>();
  a(-5, range(2, 3)) = a(-4, range(0, none, -1));
  auto b = values.input<std::uint32_t, 3>();
  a(all, 3) = remainder(flatten(b), a(all, -2));
  values.check(a);
});

const Case case_192(192, [](Values& values) {
  auto a = values.input<std::uint16_t, 2>();
  auto b = a;
  auto c = values.input<std::uint16_t, 1>();
  auto d = values.input<std::uint16_t, 2>();
  flip(b) <<= outer(flip<-1>(c), min<1>(d));
  values.check(a);
  values.check(b);
});

const Case case_193(193, [](Values& values) {
  auto a = values.input<double, 3>();
  auto b = a;
  auto c = values.input<double, 3>();
  auto d = values.input<double, 3>();
  b(ellipsis) = matmul(c, d);
  b(range(none, 1, -2), ellipsis) *=
      leaky_relu(c(range(1, 2, 1), range(none, none, -1), range(-3, 2)), b(range(1, 0, -1), ellipsis));
  values.check(a);
  values.check(b);
});

const Case case_194(194, [](Values& values) {
  auto a = values.input<std::int32_t, 2>();
  auto b = a;
  auto c = values.input<std::int16_t, 3>();
  b(ellipsis) = c.min<-3>();
  auto d = values.input<std::int32_t, 0>();
  a(-2, 4, ellipsis) = d;
  auto e = values.input<std::uint8_t, 2>();
  b = imag((transpose(a, {0, 1}) + e));
  values.check(a);
  values.check(b);
});

const Case case_195(195, [](Values& values) {
  auto a = values.input<double, 1>();
  auto b = a;
  flip(b) /= b(range(none, 2, -2));
  b(range(2, none, -1)) = 1.04;
  values.check(a);
  values.check(b);
});

const Case case_196(196, [](Values& values) {
  auto a = values.input<double, 2>();
  auto b = values.input<double, 1>();
  a(1, 0, ellipsis) = vecdot(concat<0>(a(1, range(none, 1)), a(range(-1, none, 3), -2), a(0, range(2, none))),
                             take(b, make_array<std::int64_t>({-1, 1, 3})));
  auto c = values.input<double, 2>();
  a += c;
  values.check(a);
});

const Case case_197(197, [](Values& values) {
  auto a = values.input<double, 1>();
  flip(a) = -2.08;
  auto b = values.input<float, 1>();
  auto c = values.input<double, 2>();
  a -= dot(b, roll<1, 0>(c, -1, -4));
  values.check(a);
});

const Case case_198(198, [](Values& values) {
  auto a = values.input<std::uint8_t, 1>();
  auto b = values.input<bool, 1>();
  auto c = values.input<std::uint8_t, 3>();
  auto d = values.input<bfloat16, 1>();
  a = where(b, max<-2, -1>(c), cast<std::uint8_t>(d));
  a >>= squeeze<0>(c(range(none, 1, -1), range(-3, 0, -1), -2));
  values.check(a);
});

const Case case_199(199, [](Values& values) {
  auto a = values.input<std::uint8_t, 2>();
  auto b = a;
  auto c = values.input<std::uint8_t, 1>();
  a |= sliding_window<0>(c, {2});
  b ^= a;
  auto d = values.input<std::uint8_t, 2>();
  b.T() = repeat<0>(d, 2);
  values.check(a);
  values.check(b);
});

}  // namespace
}  // namespace differential
