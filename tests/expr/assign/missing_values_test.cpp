// Arrays that have no storage: whatever is done with them says so, or has no elements; nothing is read or written, nothing is lost.
#include "support.hpp"

#include <functional>
#include <stdexcept>

using namespace tessera;
using namespace support;

namespace {

/// Default-constructed and moved-from arrays.
template <class T, int Rank>
std::vector<Array<T, Rank>> without_storage() {
  Array<T, Rank> moved_from = zeros<T>(Dim<Rank>());
  const Array<T, Rank> taken = std::move(moved_from);
  return {Array<T, Rank>(), moved_from};
}

template <int Rank>
void check_throws(const std::string& name, const std::function<void(Array<float, Rank>&)>& action) {
  for (Array<float, Rank> none : without_storage<float, Rank>()) {
    CAPTURE(name);
    bool has_thrown = false;
    try {
      action(none);
    } catch (const std::logic_error& error) {  // ShapeError or IndexError
      has_thrown = contains(error.what(), "storage") || contains(error.what(), "() has 0 elements");
      CHECK_MESSAGE(has_thrown, error.what());
    }
    CHECK(has_thrown);
    CHECK_FALSE(none.has_storage());
  }
}

}  // namespace

TEST_CASE("an array of rank 0 without storage has no value, under any name") {
  using A = Array<float, 0>;
  const auto throws = check_throws<0>;
  throws("conversion", [](A& e) { static_cast<void>(float(e)); });
  throws("element", [](A& e) { static_cast<void>(float(e[{}])); });
  throws("arithmetic", [](A& e) { evaluate(e + 1); });
  throws("sum", [](A& e) { evaluate(sum(e)); });
  throws("cast", [](A& e) { evaluate(cast<int>(e)); });
  throws("newaxis", [](A& e) { evaluate(e(newaxis) + 1); });
  throws("expand_dims", [](A& e) { evaluate(expand_dims<0>(e) * 2); });
  throws("broadcast_to", [](A& e) { evaluate(broadcast_to(e, Dim{3}) + 1); });
  throws("reshape", [](A& e) { evaluate(reshape(e, Dim{1}) + 1); });
  throws("stack", [](A& e) { evaluate(stack<0>(e, e)); });
  throws("where", [](A& e) { evaluate(where(e > 0, ones<float>(Dim{3}), 0.f)); });
  throws("sort", [](A& e) { sort(e(newaxis)); });
  throws("argsort", [](A& e) { argsort(broadcast_to(e, Dim{4})); });
  throws("cumulative_sum", [](A& e) { cumulative_sum(e(newaxis)); });
  throws("take", [](A& e) { take(e(newaxis), Array<int, 1>{0}); });
  throws("view", [](A& e) { make_view(e) = 2.0f; });
  throws("iteration", [](A& e) {
    for (const float x : e(newaxis)) static_cast<void>(x);
  });
  throws("write", [](A& e) { e(ellipsis) = 1.0f; });
  throws("compound", [](A& e) { e += 1.0f; });
}

TEST_CASE("a view of an array without storage cannot be given elements") {
  using M = Array<float, 2>;
  const auto throws = check_throws<2>;
  throws("all", [](M& b) { b(all, all) = ones<float>(2, 2); });
  throws("scalar", [](M& b) { b(all, all) = 1.0f; });
  throws("transposed", [](M& b) { b.T() = ones<float>(2, 2); });
  throws("reversed", [](M& b) { b(range(none, none, -1), all) = ones<float>(2, 2); });
  throws("fill", [](M& b) { b = 1.0f; });
  Array<float, 1> copied, x = ones<float>(Dim{3});
  copied = x.clone();
  const Array<float, 1> moved = std::move(x);
  CHECK_THROWS_AS(x(range(0, none)) = 1, ShapeError);
  CHECK(array_equal(moved, copied));
}

TEST_CASE("of arrays without storage there are no elements") {
  for (const Array<float, 2>& none : without_storage<float, 2>()) {
    CHECK(none.size() == 0);
    CHECK(evaluate(none + 1).size() == 0);
    CHECK(double(sum(none)) == 0);
    CHECK_FALSE(none.clone().has_storage());
    CHECK(to_string(none) == "(no storage)");
    CHECK(evaluate(none.T() * 2).size() == 0);
    CHECK(sort(none).size() == 0);
    for (const float x : none) CHECK(x != x);  // is never reached
  }
}
