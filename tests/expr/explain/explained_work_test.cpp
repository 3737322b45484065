// What explain() says of reductions, normalisations and loops on the CPU, beside the threads that then compute their values.
#include <mutex>
#include <set>
#include <thread>

#include "support.hpp"

using namespace tessera;
using namespace support;

namespace {

std::mutex mutex;
std::set<std::thread::id> threads_seen;

/// The value itself; the thread that asks for it is noted.
struct Noted {
  static constexpr bool vectorises = false;  // or explain() would run it
  static float map(float x) {
    if (x == 1) {
      const std::lock_guard lock(mutex);
      threads_seen.insert(std::this_thread::get_id());
    }
    return x;
  }
};

/// The text, after the expression has been computed by no more threads than it names, and by one if that is what it says.
template <class E>
std::string checked(const E& expression) {
  const std::string text = explain(expression);
  INFO(text);
  threads_seen.clear();
  static_cast<void>(evaluate(expression));
  CHECK(!threads_seen.empty());
  if (!contains(text, "on 2 threads")) CHECK(threads_seen.size() == 1);
  CHECK(threads_seen.size() <= 2);
  return text;
}

/// Ones at the beginning of rows, so that noting threads takes no time.
Array<float, 2> matrix(std::ptrdiff_t rows, std::ptrdiff_t columns) {
  auto x = zeros<float>(Dim{rows, columns});
  x(all, 0) = 1.0f;
  return x;
}

}  // namespace

TEST_CASE("explain says how a reduction is cut, and on how many threads") {
  const Threads two(2);
  const auto small = matrix(10, 20);
  const auto large = matrix(1000, 500);
  CHECK(contains(checked(sum(F<Noted>(small))), "one call of the kernel, on 1 thread"));
  CHECK(contains(checked(sum<1>(F<Noted>(small))), "row by row, 10 results of 20 values, on 1 thread"));
  CHECK(contains(checked(sum<0>(F<Noted>(small))), "20 results side by side, 20 results of 10 values, on 1 thread"));
  CHECK(contains(checked(sum<1>(F<Noted>(large))), "row by row, 1000 results of 500 values, on 2 threads"));
  CHECK(contains(checked(sum(F<Noted>(large))), "1 result of 500000 values, each in 8 parts that are merged in order"));
  CHECK(contains(explain(sum<1>(ones<float>(Dim{3, 0}))), "the result over nothing"));
  CHECK(contains(explain(sum<1>(ones<float>(Dim{0, 3}))), "there are no results"));
  set_num_threads(1);
  CHECK(contains(checked(sum(F<Noted>(large))), "on 1 thread"));
}

TEST_CASE("explain says how a normalisation is cut, and what is computed with it") {
  const Threads two(2);
  CHECK(contains(checked(softmax<1>(F<Noted>(matrix(10, 20)))), "10 rows of 20 values, 10 at a time, on 1 thread"));
  CHECK(contains(checked(softmax<1>(F<Noted>(matrix(1000, 500)))), "1000 rows of 500 values, "));
  CHECK(contains(checked(softmax<1>(F<Noted>(matrix(3, 50000)))), "3 rows of 50000 values, each in parts"));
  CHECK(contains(checked(softmax<0>(F<Noted>(matrix(100, 200)))), "200 columns of 100 values, "));
  const std::string inside = checked(softmax<1>(F<Noted>(matrix(1000, 500))) * 2);
  CHECK(contains(inside, "1000 rows of 500 values, "));
  CHECK(contains(inside, "computed with the normalisation that it reads, on 2 threads"));
}

TEST_CASE("a small loop over memory in one piece is one call, whatever is computed before it") {
  const auto x = matrix(10, 20);
  const std::string text = explain(x * 2 + softmax<0>(sum<0>(x)));
  CHECK(contains(text, "Stage 3 of 3"));
  CHECK(contains(explain(max<1>(x) + sum<1>(x)), "one call of the kernel, on 1 thread"));
}
