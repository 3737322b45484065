module;
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>
module tessera.collective;
import tessera.core;

// What is said of a function that is not elementwise.
namespace tessera::collective {

void require_elementwise(std::span<const std::ptrdiff_t> part, std::span<const std::ptrdiff_t> whole,
                         ShardLayout layout, const Group& group) {
  std::vector<std::ptrdiff_t> expected(whole.begin(), whole.end());
  if (layout.is_split()) {
    std::ptrdiff_t& own = expected[static_cast<std::size_t>(layout.axis())];
    own = part_of_rank(own, group.size(), group.rank()).extent;
  }
  if (std::ranges::equal(part, expected)) return;
  throw ShapeError(to_string(Failure{
      .operation = "shard_map",
      .problem = "the function makes " + to_string(DDim(part)) + " of the parts of this rank, whose result " +
                 to_string(DDim(whole)) + ", " + to_string(layout) + ", has the part " + to_string(DDim(expected)),
      .advice = "it must be elementwise; for others there are sum() and its kin, dot() and redistribute()"}));
}

}  // namespace tessera::collective
