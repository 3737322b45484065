// The page "From PyTorch": its tables are made of these lines, what one writes in PyTorch and what one writes here.
#include <vector>

#include "support.hpp"

using namespace tessera;
using support::shape;
using support::text;

namespace {

TEST_CASE("from PyTorch: making") {
  // --8<-- [start:making]
  // PyTorch: a = torch.tensor([[1., 2.], [3., 4.]])
  Array<float, 2> a{{1, 2}, {3, 4}};
  // PyTorch: z = torch.zeros(2, 3)
  auto z = zeros<float>(2, 3);
  // PyTorch: o = torch.ones(2, dtype=torch.int64)
  auto o = ones<std::int64_t>(2);
  // PyTorch: l = torch.zeros_like(a)
  auto l = zeros_like(a);
  // PyTorch: h = torch.zeros(4, dtype=torch.bfloat16)
  auto h = zeros<bfloat16>(4);
  // PyTorch: torch.arange(3.)
  CHECK(text(arange(3.f)) == "[0. 1. 2.]");
  // PyTorch: torch.linspace(0, 1, 3)
  CHECK(text(linspace(0.f, 1, 3)) == "[0.  0.5 1. ]");
  // PyTorch: torch.eye(2)
  CHECK(text(eye<float>(2)) == "[[1. 0.]\n [0. 1.]]");
  // PyTorch: a.to(torch.float64)
  CHECK(text(cast<double>(a)) == "[[1. 2.]\n [3. 4.]]");
  // PyTorch: c = a.to("cpu")
  auto c = a.to(CpuPlace{});
  // --8<-- [end:making]
  CHECK(text(z) == "[[0. 0. 0.]\n [0. 0. 0.]]");
  CHECK(text(o) == "[1 1]");
  CHECK(text(l) == "[[0. 0.]\n [0. 0.]]");
  CHECK(text(h) == "[0. 0. 0. 0.]");
  CHECK(c.data() == a.data());
}

TEST_CASE("from PyTorch: shapes") {
  auto x = reshape(arange(6.f), 2, 3);
  // --8<-- [start:shapes]
  // PyTorch: x.shape
  CHECK(text(x.shape()) == "(2, 3)");
  // PyTorch: x.size(0)
  CHECK(text(x.shape()[0]) == "2");
  // PyTorch: x.numel()
  CHECK(text(x.size()) == "6");
  // PyTorch: x.view(3, 2)
  CHECK(text(x.reshape(3, 2)) == "[[0. 1.]\n [2. 3.]\n [4. 5.]]");
  // PyTorch: x.flatten()
  CHECK(text(x.flatten()) == "[0. 1. 2. 3. 4. 5.]");
  // PyTorch: x.transpose(0, 1)
  CHECK(text(swapaxes(x, 0, 1)) == "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
  // PyTorch: x.permute(1, 0)
  CHECK(text(transpose(x, {1, 0})) == "[[0. 3.]\n [1. 4.]\n [2. 5.]]");
  // PyTorch: x.unsqueeze(0)
  CHECK(shape(expand_dims<0>(x)) == "(1, 2, 3)");
  // PyTorch: x.unsqueeze(0).squeeze(0)
  CHECK(shape(squeeze<0>(expand_dims<0>(x))) == "(2, 3)");
  // PyTorch: x.expand(4, 2, 3)
  CHECK(shape(broadcast_to(x, Dim{4, 2, 3})) == "(4, 2, 3)");
  // PyTorch: torch.cat([x, x], dim=1)
  CHECK(shape(concat<1>(x, x)) == "(2, 6)");
  // PyTorch: torch.stack([x, x], dim=-1)
  CHECK(shape(stack<-1>(x, x)) == "(2, 3, 2)");
  // --8<-- [end:shapes]
}

TEST_CASE("from PyTorch: indexing") {
  auto x = reshape(arange(6.f), 2, 3);
  auto index = make_array({1, 0});
  // --8<-- [start:indexing]
  // PyTorch: x[0, 1].item()
  CHECK(text(x(0, 1)) == "1");
  // PyTorch: x[1]
  CHECK(text(x(1)) == "[3. 4. 5.]");
  // PyTorch: x[:, 1:]
  CHECK(text(x(all, range(1, none))) == "[[1. 2.]\n [4. 5.]]");
  // PyTorch: x[..., -1]
  CHECK(text(x(ellipsis, -1)) == "[2. 5.]");
  // PyTorch: x.flip(1)
  CHECK(text(flip<1>(x)) == "[[2. 1. 0.]\n [5. 4. 3.]]");
  // PyTorch: x.index_select(0, index)
  CHECK(text(take(x, index)) == "[[3. 4. 5.]\n [0. 1. 2.]]");
  // PyTorch: x[x > 2]
  CHECK(text(compress(x > 2, x)) == "[3. 4. 5.]");
  // PyTorch: x.unfold(1, 2, 1)
  CHECK(shape(sliding_window<1>(x, {2})) == "(2, 2, 2)");
  // PyTorch: x[x > 2] = 0
  x(ellipsis) = where(x > 2, 0, x);
  // PyTorch: x[:, 0] = 5
  x(all, 0) = 5;
  // PyTorch: x.fill_(1)
  x(ellipsis) = 1;
  // --8<-- [end:indexing]
  CHECK(text(x) == "[[1. 1. 1.]\n [1. 1. 1.]]");
}

TEST_CASE("from PyTorch: elementwise") {
  auto x = make_array({-1.f, 0.f, 4.f});
  // --8<-- [start:elementwise]
  // PyTorch: x * 2 + 1
  CHECK(text(x * 2 + 1) == "[-1.  1.  9.]");
  // PyTorch: x.clamp(min=0)
  CHECK(text(clip(x, 0, none)) == "[0. 0. 4.]");
  // PyTorch: torch.where(x > 0, x, 0)
  CHECK(text(where(x > 0, x, 0)) == "[0. 0. 4.]");
  // PyTorch: F.relu(x)
  CHECK(text(relu(x)) == "[0. 0. 4.]");
  // PyTorch: F.leaky_relu(x, 0.25)
  CHECK(text(leaky_relu(x, 0.25f)) == "[-0.25  0.    4.  ]");
  // PyTorch: torch.sigmoid(x[1])
  CHECK(text(sigmoid(x(range(1, 2)))) == "[0.5]");
  // PyTorch: F.softmax(x[1:2], dim=0)
  CHECK(text(softmax<0>(x(range(1, 2)))) == "[1.]");
  // PyTorch: x.add_(1)
  x += 1;
  // PyTorch: x.mul_(2)
  x *= 2;
  // --8<-- [end:elementwise]
  CHECK(text(x) == "[ 0.  2. 10.]");
}

TEST_CASE("from PyTorch: reductions") {
  auto x = reshape(arange(6.f), 2, 3);
  int k = 1;
  // --8<-- [start:reductions]
  // PyTorch: s = x.sum().item()
  float s = sum(x);
  // PyTorch: x.sum(dim=1)
  CHECK(text(x.sum<1>()) == "[ 3. 12.]");
  // PyTorch: x.sum(dim=k)
  CHECK(text(sum(x, k)) == "[ 3. 12.]");
  // PyTorch: x.mean(dim=(0, 1))
  CHECK(text(mean<0, 1>(x)) == "2.5");
  // PyTorch: x.var(dim=1, keepdim=True)
  CHECK(text(var<1>(x, keepdims, correction(1))) == "[[1.]\n [1.]]");
  // PyTorch: x.amax(dim=0)
  CHECK(text(max<0>(x)) == "[3. 4. 5.]");
  // PyTorch: x.argmax(dim=1)
  CHECK(text(argmax<1>(x)) == "[2 2]");
  // PyTorch: x.cumsum(dim=1)
  CHECK(text(cumulative_sum<1>(x)) == "[[ 0.  1.  3.]\n [ 3.  7. 12.]]");
  // PyTorch: torch.logsumexp(0 * x, dim=0)
  CHECK(text(logsumexp<0>(0 * x)) == "[0.6931472 0.6931472 0.6931472]");
  // PyTorch: if (x > 4).any():
  if (any(x > 4)) s += 1;
  // --8<-- [end:reductions]
  CHECK(s == 16);
}

TEST_CASE("from PyTorch: products and layers") {
  Array<float, 2> x{{1, 2}, {3, 4}};
  Array<float, 2> w{{1, 0}, {0, 2}};
  auto b = make_array({0.5f, -9.f});
  auto scale = ones<float>(2);
  auto batch = ones<float>(5, 2, 2);
  // --8<-- [start:products]
  // PyTorch: x @ w
  CHECK(text(dot(x, w)) == "[[1. 4.]\n [3. 8.]]");
  // PyTorch: torch.bmm(batch, batch)
  CHECK(shape(matmul(batch, batch)) == "(5, 2, 2)");
  // PyTorch: F.relu(F.linear(x, w, b))
  CHECK(text(relu(dot(x, w.T()) + b)) == "[[1.5 0. ]\n [3.5 0. ]]");
  // PyTorch: F.layer_norm(x, (2,), scale, b)
  CHECK(shape(layernorm(x, scale, b)) == "(2, 2)");
  // PyTorch: w.norm()
  CHECK(text(norm(w)) == "2.236068");
  // --8<-- [end:products]
}

TEST_CASE("from PyTorch: copies and views") {
  auto x = make_array({1.f, 2.f, 3.f});
  // --8<-- [start:copies]
  // PyTorch: y = x
  auto y = x;
  // PyTorch: c = x.clone()
  auto c = x.clone();
  // PyTorch: tail = x[1:]
  auto tail = x(range(1, none));
  // PyTorch: tail[0] = 9
  tail[0] = 9;
  // PyTorch: x.copy_(y * 2)
  x(ellipsis) = y * 2;
  // PyTorch: x = x + 1
  x = x + 1;
  // PyTorch: x.sub_(0.5 * y)
  x -= 0.5 * y;
  // PyTorch: x.is_contiguous()
  CHECK(text(x.is_contiguous()) == "true");
  // --8<-- [end:copies]
  CHECK(text(x) == "[ 2. 10.  4.]");
  CHECK(text(y) == "[ 2. 18.  6.]");
  CHECK(text(c) == "[1. 2. 3.]");
}

TEST_CASE("from PyTorch: random numbers") {
  // --8<-- [start:random]
  // PyTorch: g = torch.Generator().manual_seed(7)
  random::Key g{7};
  // PyTorch: u = torch.rand(2, 3, generator=g)
  Array<float, 2> u = random::uniform<float>(g.fold(0), Dim{2, 3});
  // PyTorch: n = torch.randn(4, generator=g)
  Array<float, 1> n = random::normal<float>(g.fold(1), Dim{4});
  // PyTorch: p = torch.randperm(5, generator=g)
  auto p = random::permutation(g.fold(2), 5);
  // --8<-- [end:random]
  CHECK(all(u >= 0));
  CHECK(any(n != 0));
  CHECK(text(sort(p)) == "[0 1 2 3 4]");
}

TEST_CASE("from PyTorch: errors") {
  auto a = zeros<float>(2, 3);
  auto b = zeros<float>(4);
  // --8<-- [start:errors]
  // PyTorch: a + b  # RuntimeError
  CHECK_THROWS_AS(a + b, ShapeError);
  // PyTorch: a @ a  # RuntimeError
  CHECK_THROWS_AS(dot(a, a), ShapeError);
  // PyTorch: a[0, 3]  # IndexError
  CHECK_THROWS_AS(a(0, 3), IndexError);
  // PyTorch: a.view(4, 2)  # RuntimeError
  CHECK_THROWS_AS(a.reshape(4, 2), ShapeError);
  // --8<-- [end:errors]
}

}  // namespace
