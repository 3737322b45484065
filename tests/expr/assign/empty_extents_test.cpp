// Arrays of no elements whose other extents are as large as extents can be. Every function does with them what it does with a small array
// of no elements, or says that the result would be larger than any memory; none counts what is not there.
#include <sstream>

#include "without_elements.hpp"

using namespace tessera;
using namespace support;

namespace {

constexpr std::ptrdiff_t most = PTRDIFF_MAX;

/// What comes of it, without the extents.
template <class Call>
std::string ending(const Call& call) {
  try {
    const auto result = call();
    if constexpr (requires { result.shape(); }) {
      const auto values = evaluate(result);
      return values.rank > 0 && values.size() == 0 ? "empty" : to_string(values);
    } else {
      return std::string(result);
    }
  } catch (const std::logic_error& error) {
    const std::string message = error.what();
    if (contains(message, "does not fit in 64 bits")) return "too large";
    return message.substr(0, message.find(':'));  // the operation that refuses
  }
}

template <int Rank, class Call>
void check_one(const std::string& name, const Dim<Rank>& shape, const Call& call) {
  Dim<Rank> small;
  for (int axis = 0; axis < Rank; ++axis) small = small.with(axis, std::min<std::ptrdiff_t>(shape[axis], 4));
  CAPTURE(name);
  CAPTURE(shape);
  Array<float, Rank> none = zeros<float>(small), huge = zeros<float>(shape);
  const std::string wanted = ending([&] { return call(none); }), got = ending([&] { return call(huge); });
  if (got != "too large") CHECK(got == wanted);
}

/// `call` with every shape; all ranks are instantiated.
template <class Call>
void check_empty(const std::string& name, const Call& call) {
  check_one(name, Dim{most, std::ptrdiff_t(0)}, call);
  check_one(name, Dim{std::ptrdiff_t(0), most}, call);
  check_one(name, Dim{most, std::ptrdiff_t(3), std::ptrdiff_t(0)}, call);
  check_one(name, Dim{std::ptrdiff_t(0), most, most}, call);
}

#define CHECK_EMPTY(...) check_empty(#__VA_ARGS__, [](auto& x) { return __VA_ARGS__; })

}  // namespace

TEST_CASE("views and copies of no elements of huge extents") {
  CHECK_EMPTY(x);
  CHECK_EMPTY(x.T());
  CHECK_EMPTY(x(0, ellipsis));
  CHECK_EMPTY(x(-1, ellipsis));
  CHECK_EMPTY(x(range(none, none, -1), ellipsis));
  CHECK_EMPTY(x(range(1, none, most / 2), ellipsis));
  CHECK_EMPTY((x + 1)(range(none, none, -1), ellipsis));
  CHECK_EMPTY(x(newaxis, ellipsis));
  CHECK_EMPTY(flip(x));
  CHECK_EMPTY(swapaxes(x, 0, -1));
  CHECK_EMPTY(expand_dims<0>(x));
  CHECK_EMPTY(flatten(x));
  CHECK_EMPTY(reshape(x, x.shape()));
  CHECK_EMPTY(reshape(x, most, 5, 0));
  CHECK_EMPTY(reshape(x, 0, -1));
  CHECK_EMPTY(sliding_window<0>(x, Dim{1}));
  CHECK_EMPTY(copy(x));
  CHECK_EMPTY(x.clone());
  CHECK_EMPTY(make_view(x));
  CHECK_EMPTY(to_string(x));
  CHECK_EMPTY((std::ostringstream() << x).str());
  CHECK_EMPTY((x.begin() == x.end() ? "nothing" : "elements"));
  CHECK_EMPTY((static_cast<void>(float(x[x.shape()])), "an element"));
  CHECK_EMPTY(zeros_like(x));
  CHECK_EMPTY(random::normal<float>(random::Key{1}, x.shape()));
}

TEST_CASE("writing no elements of huge extents") {
  CHECK_EMPTY((x(ellipsis) = 1.0f, "done"));
  CHECK_EMPTY((x(range(none, none, -1), ellipsis) = 1.0f, "done"));
  CHECK_EMPTY((x(ellipsis) = flip(x) * 2, "done"));
  CHECK_EMPTY((make_view(x) = x + 1, "done"));
  CHECK_EMPTY((x += x, "done"));
  CHECK_EMPTY((x = x * 2, "done"));
  CHECK_EMPTY((x = 2.0f, "done"));
}

TEST_CASE("reductions of no elements of huge extents") {
  CHECK_EMPTY(sum(x));
  CHECK_EMPTY(sum<0>(x));
  CHECK_EMPTY(sum<-1>(x, keepdims));
  CHECK_EMPTY(max(x));
  CHECK_EMPTY(mean<0>(x));
  CHECK_EMPTY(argmax<-1>(x));
  CHECK_EMPTY(var(x));
  CHECK_EMPTY(logsumexp<0>(x));
  CHECK_EMPTY(any(x));
  CHECK_EMPTY(norm(x));
  CHECK_EMPTY(softmax<0>(x));
  CHECK_EMPTY(layernorm(x));
  CHECK_EMPTY(array_equal(x, x) ? "equal" : "different");
  CHECK_EMPTY(allclose(x, x) ? "close" : "different");
}

TEST_CASE("joining and sorting no elements of huge extents") {
  CHECK_EMPTY(roll<0>(x, 1));
  CHECK_EMPTY(pad(x, 0, 1));
  CHECK_EMPTY(pad(x, 1, PadMode::wrap));
  CHECK_EMPTY(repeat<-1>(x, 2));
  CHECK_EMPTY(concat<0>(x, x));
  CHECK_EMPTY(stack<0>(x, x));
  CHECK_EMPTY(sort(x));
  CHECK_EMPTY(argsort<0>(x));
  CHECK_EMPTY(cumulative_sum<0>(x));
  CHECK_EMPTY((sort_into(x, x), "done"));
  CHECK_EMPTY(take(x, Array<int, 1>{0, -1}));
  CHECK_EMPTY(take(x, broadcast_to(Array<int, 1>{0}, Dim{most})));
  CHECK_EMPTY(picked(x, Array<int, 1>{0, -1}, ellipsis));
  CHECK_EMPTY(picked(x, ellipsis, Array<int, 1>{0, 1, -1}));
  CHECK_EMPTY(x(broadcast_to(Array<int, 1>{0}, Dim{most}), ellipsis));
  CHECK_EMPTY(compress(x > 0, x));
  CHECK_EMPTY((explain(x + 1), "explained"));
}
