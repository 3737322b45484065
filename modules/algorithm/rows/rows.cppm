module;
#include <cstddef>
export module tessera.algorithm:rows;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// The rows of an array along one axis, for algorithms that see one row at a time, and what such an algorithm is asked for.
namespace tessera::rows {

/// An algorithm along an axis of arrays of one shape. `from` and `to` are the same elements or share none.
struct Call {
  DType dtype;  ///< of the elements that are read
  std::span<const std::ptrdiff_t> shape;
  int axis;
  storage::StridedMemory from;
  storage::StridedMemory to;
};

/// A tile: rows side by side, whose first elements are `from_gap` and `to_gap` apart.
struct Tile {
  std::ptrdiff_t from, to;  ///< offsets of the first row's first element
  std::ptrdiff_t rows;
};

/// All rows along one axis, cut into tiles of neighbours along the other axis with the smallest step: where that step is shorter than
/// the one along the rows, a walk across them reads whole cache lines.
class Tiling {
 public:
  /// `widest` is the largest number of rows in a tile.
  Tiling(const Call& call, std::ptrdiff_t widest);

  std::ptrdiff_t length() const { return length_; }
  std::ptrdiff_t from_step() const { return from_step_; }
  std::ptrdiff_t to_step() const { return to_step_; }
  std::ptrdiff_t from_gap() const { return from_gap_; }
  std::ptrdiff_t to_gap() const { return to_gap_; }
  /// Rows in a tile that is not the last one of its neighbours.
  std::ptrdiff_t width() const { return width_; }
  std::ptrdiff_t row_count() const { return outer_ * neighbours_; }
  std::ptrdiff_t tile_count() const { return outer_ * tiles_; }
  Tile tile(std::ptrdiff_t index) const;

 private:
  struct Axis {
    std::ptrdiff_t extent, from_stride, to_stride;
  };
  std::ptrdiff_t length_, from_step_, to_step_;
  std::ptrdiff_t neighbours_ = 1, from_gap_ = 0, to_gap_ = 0;
  std::ptrdiff_t outer_ = 1;
  std::ptrdiff_t width_ = 1, tiles_ = 1;
  std::vector<Axis> outer_axes_;  // neither the rows' own nor that of the neighbours
};

/// The elements of a call in their types: neighbours along a row are a step apart, the rows of a tile a gap.
template <class From, class To>
struct TypedRows {
  const From* from;
  std::ptrdiff_t from_step, from_gap;
  To* to;
  std::ptrdiff_t to_step, to_gap;

  TypedRows(const Call& call, const Tiling& tiling)
      : from(static_cast<const From*>(call.from.data)),
        from_step(tiling.from_step()),
        from_gap(tiling.from_gap()),
        to(static_cast<To*>(call.to.data)),
        to_step(tiling.to_step()),
        to_gap(tiling.to_gap()) {}
};

/// Calls `body(tile, scratch)` for all tiles, on several threads if there is enough work. Each thread has `scratch_bytes` of its own,
/// 64-byte aligned, all of which is there before the first call. Throws OutOfMemory.
using TileBody = void (*)(const void* context, const Tile& tile, std::byte* scratch);
void for_each_tile(const Tiling& tiling, std::ptrdiff_t scratch_bytes, TileBody body, const void* context);

template <class Body>
void for_each_tile(const Tiling& tiling, std::ptrdiff_t scratch_bytes, const Body& body) {
  for_each_tile(
      tiling, scratch_bytes,
      [](const void* context, const Tile& tile, std::byte* scratch) {
        (*static_cast<const Body*>(context))(tile, scratch);
      },
      static_cast<const void*>(std::addressof(body)));
}

/// Below so many elements a thread of its own costs more than it saves.
inline constexpr std::ptrdiff_t serial_elements = 4096;

/// Calls `body(begin, end)` for pieces of [0, count) on several threads; the pieces depend on `count` and `piece` alone.
template <class Body>
void for_each_piece(std::ptrdiff_t count, std::ptrdiff_t piece, const Body& body) {
  parallel_for((count + piece - 1) / piece,
               [&](std::ptrdiff_t index) { body(index * piece, std::min(count, (index + 1) * piece)); });
}

/// "(3, 4)"
std::string text_of(std::span<const std::ptrdiff_t> shape);

/// Throws DeviceError for a place that the host cannot read.
void require_host_algorithm(Place place, const char* operation, const std::source_location& where);

/// Throws PlaceError unless both are places of the host, or one GPU.
void require_same_place(Place to, Place from, const char* operation, const std::source_location& where);

/// Throws ShapeError if an array that is to be written has not the shape `wanted`, or an element twice.
void require_result(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides,
                    std::span<const std::ptrdiff_t> wanted, const char* operation, const std::source_location& where);
template <class A>
void require_result(const A& result, std::span<const std::ptrdiff_t> wanted, const char* operation,
                    const std::source_location& where) {
  require_result(result.shape().extents(), result.strides(), wanted, operation, where);
}

/// The elements of an operand that is not a parameter of a recording.
template <class O>
concept KnownOperand =
    Operand<O> &&
    (!ArrayParameter<O> || unsatisfied<"a parameter has no elements before its replay: copy it to an array first">);

/// Where the result of an algorithm on an operand lies.
template <class O>
using result_place = std::conditional_t<std::is_void_v<place_of<O>>, CpuPlace, place_of<O>>;

/// The elements of an operand in memory: arrays and views themselves, expressions computed.
template <class O>
auto elements_of(const O& operand) {
  if constexpr (ExpressionNode<O>) {
    return Array<value_of<O>, rank_of<O>, result_place<O>>(operand);
  } else if constexpr (requires { operand.as_operand(); }) {
    return operand.as_operand();
  } else {
    return operand;
  }
}

/// The memory of an array or a view; that of const elements is only read.
template <class A>
storage::StridedMemory memory_of(const A& array) {
  return {const_cast<std::remove_const_t<value_of<A>>*>(array.data()), array.strides(), sizeof(value_of<A>)};
}

/// The elements of an array or a view on the host in new storage.
template <class A>
auto copy_of(const A& elements) {
  Array<value_of<A>, A::rank, typename A::place_type> copied(elements.shape(), elements.place());
  storage::copy_strided(elements.shape().extents(), {memory_of(copied), copied.place()},
                        {memory_of(elements), elements.place()});
  return copied;
}

/// The two may share memory: false is a proof.
template <class A, class B>
bool may_overlap(const A& to, const B& from) {
  return storage::Footprint({to.data(), to.shape().extents(), to.strides(), sizeof(value_of<A>)})
      .overlaps(storage::Footprint({from.data(), from.shape().extents(), from.strides(), sizeof(value_of<B>)}));
}

/// The two may share memory, and are not the same elements in the same order.
template <class A, class B>
bool shares_memory(const A& to, const B& from) {
  const void* const first = from.data();
  const bool is_same_size = sizeof(value_of<A>) == sizeof(value_of<B>);
  if (is_same_size && to.data() == first && std::ranges::equal(to.strides(), from.strides())) return false;
  return may_overlap(to, from);
}

/// An axis in range for `Rank`.
template <int Rank, int Axis>
concept AxisOf = (Axis >= -Rank && Axis < Rank) || unsatisfied<"the axis is out of range">;

template <int Rank, int Axis>
inline constexpr int axis_of = Axis < 0 ? Axis + Rank : Axis;

}  // namespace tessera::rows

namespace tessera {

/// What results are written to: elements of type T along as many axes as the operand has.
export template <class A, class T, int Rank>
concept ResultElements = WritableElements<std::remove_const_t<A>> &&
                         (std::same_as<value_of<A>, T> || unsatisfied<"the result has elements of another type">) &&
                         (rank_of<A> == Rank || unsatisfied<"the result has another number of axes than the operand">);

}  // namespace tessera
