module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:selecting;
import tessera.standard;
import tessera.core;
import tessera.array;
import :rows;

// Selection along an axis for element types that are known at run time.
namespace tessera::selecting {

/// Each row with the element of rank `rank` where sorting would put it, those that come before in front of it. `to` shares no memory with `from`.
void partition_rows(const rows::Call& call, std::ptrdiff_t rank);
/// The positions (int64) of the elements in such an order.
void argpartition_rows(const rows::Call& call, std::ptrdiff_t rank);

/// The first `count` elements of each row in their order, and their positions.
struct First {
  rows::Call call;          ///< `to` takes elements, and has `count` along the axis
  std::int64_t* positions;  ///< laid out as `to`
  std::ptrdiff_t count;
  bool descends;
};
void write_first(const First& first);

}  // namespace tessera::selecting
