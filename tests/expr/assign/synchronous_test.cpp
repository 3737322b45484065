// Sync: on the CPU an assignment is done when it returns, whichever threads took part in it.
#include "support.hpp"

#include <thread>

using namespace tessera;
using namespace support;

TEST_CASE("an assignment is done when it returns: its elements can be read through the bare pointer at once") {
  const std::ptrdiff_t n = 1 << 20;
  const Array<float, 1> x = arange(static_cast<float>(n)), y = zeros<float>(Dim{n});
  for (const int threads : {1, 2, 4}) {
    const Threads restore(threads);
    for (int round = 1; round <= 20; ++round) {
      assign(y, x * static_cast<float>(round) + 1.0f);
      const float* elements = y.data();
      std::ptrdiff_t wrong = 0;
      for (std::ptrdiff_t i = 0; i < n; ++i)
        wrong += elements[i] == static_cast<float>(i) * static_cast<float>(round) + 1.0f ? 0 : 1;
      INFO("threads ", threads, ", round ", round);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("a sum is complete when it is read, and an operand may change as soon as the assignment has returned") {
  const std::ptrdiff_t n = 1 << 19;
  Array<double, 1> x = ones<double>(Dim{n}), y = zeros<double>(Dim{n});
  const Threads restore(2);
  for (int round = 0; round < 20; ++round) {
    assign(y, x + 1.0);
    x(all) = static_cast<double>(round);  // must not reach y any more
    const double expected = round == 0 ? 2.0 : static_cast<double>(round);
    CHECK(item(sum(y)) == expected * static_cast<double>(n));
    CHECK(item(min(y)) == expected);
  }
}

TEST_CASE("threads of the user's may evaluate at the same time, each on arrays of its own") {
  std::vector<std::thread> users;
  std::vector<double> sums(4);
  for (std::size_t user = 0; user < sums.size(); ++user) {
    users.emplace_back([user, &sums] {
      const Array<double, 1> x = full(Dim{100'000}, static_cast<double>(user) + 1.0);
      const Array<double, 1> y(x.shape());
      for (int round = 0; round < 10; ++round) assign(y, x * 2.0 + x);
      sums[user] = item(sum(y));
    });
  }
  for (std::thread& user : users) user.join();
  for (std::size_t user = 0; user < sums.size(); ++user) {
    CAPTURE(user);
    CHECK(sums[user] == 3e5 * (static_cast<double>(user) + 1.0));
  }
}
