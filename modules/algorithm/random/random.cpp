module;
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Random order: R. Durstenfeld's form of the Fisher-Yates shuffle (1964), with unbiased draws by D. Lemire's method,
// "Fast random integer generation in an interval" (2019).
namespace tessera::random {

namespace {

/// A sequence of 64-bit numbers from consecutive blocks of a key's stream.
class Draws {
 public:
  explicit Draws(Key key) : key_(key) {}

  std::uint64_t next() {
    if (used_ == 2) {
      words_ = block(key_, number_++);
      used_ = 0;
    }
    const std::size_t at = 2 * used_++;
    return std::uint64_t{words_[at + 1]} << 32 | words_[at];
  }

  /// Uniform in [0, bound).
  std::uint64_t below(std::uint64_t bound) {
    __extension__ using Product = unsigned __int128;
    Product product = Product{next()} * bound;
    const std::uint64_t rejected = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < rejected) product = Product{next()} * bound;
    return static_cast<std::uint64_t>(product >> 64);
  }

 private:
  Key key_;
  std::uint64_t number_ = 0;
  Words words_{};
  std::size_t used_ = 2;
};

}  // namespace

Array<std::int64_t, 1> permutation(Key key, std::ptrdiff_t count) {
  Array<std::int64_t, 1> order(Dim<1>{count});
  std::int64_t* at = order.data();
  std::iota(at, at + count, std::int64_t{0});
  Draws draws(key);
  for (std::ptrdiff_t i = count - 1; i > 0; --i) std::swap(at[i], at[draws.below(static_cast<std::uint64_t>(i) + 1)]);
  return order;
}

}  // namespace tessera::random
