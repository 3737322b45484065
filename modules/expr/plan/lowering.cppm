module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:lowering;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import :plan;
import :normalising;
import :temporary;

// From nodes to a plan: every leaf registers its memory, broadcast to the evaluated shape.
namespace tessera::plan {

/// Memory that an assignment writes, or that an operand reads.
export using Written = storage::ViewMemory;

/// The two touch a common byte range.
export bool overlaps(const Written& written, const Written& read);

/// They overlap, and not so that every element is read just where it is written.
export bool conflicts(const Written& written, const Written& read);

/// Looks at the memory that a node reads, and at the node's share of the buffer: null if nobody counts who uses the memory.
export struct LeafVisitor {
  bool (*visit)(const LeafVisitor& self, const Written& memory, const storage::BufferShare* share);
  /// Takes parameters of the recording that is made, which have no memory yet; nullptr where there can be none.
  bool (*visit_parameter)(const LeafVisitor& self, const schedule::ParameterSlot& slot) = nullptr;

  bool operator()(const Written& memory, const storage::BufferShare* share) const {
    return visit(*this, memory, share);
  }
};

/// Says yes to memory that overlaps what is written.
export struct OverlapVisitor : LeafVisitor {
  explicit OverlapVisitor(const Written& memory);

  Written written;
};

/// Counts the leaves that are names of a buffer.
export struct NameCounter : LeafVisitor {
  explicit NameCounter(const Buffer& named);

  const Buffer* buffer;
  mutable std::uint32_t count = 0;
};

/// Makes holds of the names that a node keeps.
export struct NameReleaser : LeafVisitor {
  NameReleaser();
};

/// A matrix product that the evaluator computes tile by tile, just before the elementwise work on the same tile, or in
/// blocks of rows, each just before these are reduced or normalised.
export struct TiledProduct {
  const void* a;
  const void* b;
  std::ptrdiff_t rows, columns, inner;
  std::ptrdiff_t a_row, a_column, b_row, b_column;  // strides in elements
  DType dtype;                                      // of sums and of the result
  int leaf = -1;                                    // which leaf it stands for
  Place place = {};
  DType a_type = dtype,
        b_type = dtype;  // of the elements of a and b, which are multiplied as elements of `dtype`; the same on a GPU
  const Loop* a_loop = nullptr;  // an expression that is evaluated block by block instead of read
  const Loop* b_loop = nullptr;
  std::ptrdiff_t a_first = 0, b_first = 0;  // the row and the column of the expressions with which a and b begin
};

/// How many matrix products and normalisations of an expression are left to its evaluator, which computes them in the cache together with
/// what is around them, tile by tile or row by row.
enum class Fusion : std::uint8_t {
  none,
  one,
  rows,  // one product, whose rows are reduced or normalised
};

/// What an expression's type says: it has exactly one such node, and the evaluator takes no second.
template <class Node>
inline constexpr Fusion fusion_of = Node::fusible == 1 ? Fusion::one : Fusion::none;

/// The same of an operand whose values along the axes with `reduced` become one or are normalised.
template <class Node>
constexpr Fusion fusion_along(const std::array<bool, static_cast<std::size_t>(Node::rank)>& reduced) {
  if constexpr (Node::rank == 2 && Node::fusible == 1) {
    if (!reduced[0] && reduced[1]) return Fusion::rows;
  }
  return Fusion::none;
}

/// Collects the leaves of one expression. `capacity` leaves of storage are given by the caller.
export class Lowering {
 public:
  Lowering(std::span<Operand> storage, std::span<const std::ptrdiff_t> extents, Place place, Fusion fusion)
      : storage_(storage), rank_(static_cast<int>(extents.size())), place_(place), fusion_(fusion) {
    for (int axis = 0; axis < rank_; ++axis)
      extents_[static_cast<std::size_t>(axis)] = extents[static_cast<std::size_t>(axis)];
  }

  /// Registers memory of the given shape, which must broadcast to the evaluated shape, and returns its leaf number.
  /// Throws PlaceError if it is not where the evaluation is.
  int add(const void* data, std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides,
          std::ptrdiff_t item, Place place) {
    if (place != place_) throw_places_differ(place);
    Operand& leaf = next(shape, strides);
    leaf.data = bytes_to_read(data);
    leaf.item = item;
    leaf.generate = nullptr;
    leaf.context = nullptr;
    return count_ - 1;
  }

  /// Registers an operand that is computed from the linear index in its own row-major shape.
  int add_generated(Generate generate, const void* context, std::span<const std::ptrdiff_t> shape,
                    std::span<const std::ptrdiff_t> strides, std::ptrdiff_t item) {
    Operand& leaf = next(shape, strides);
    leaf.data = nullptr;
    leaf.item = item;
    leaf.generate = generate;
    leaf.context = context;
    return count_ - 1;
  }

  /// For an operand of `outer` that is evaluated beside it: what this keeps lives as long as `outer`.
  Lowering(Lowering& outer, std::span<Operand> storage, Fusion fusion)
      : storage_(storage),
        rank_(outer.rank_),
        extents_(outer.extents_),
        place_(outer.place_),
        fusion_(fusion),
        outer_(&outer) {}
  Lowering(const Lowering&) = delete;
  ~Lowering();
  Lowering& operator=(const Lowering&) = delete;

  /// Keeps something alive until the evaluation is over.
  void keep(std::shared_ptr<const void> owner) {
    outer_ != nullptr ? outer_->keep(std::move(owner)) : kept_.push_back(std::move(owner));
  }

  /// Memory for results until the evaluation is over, 16-byte aligned: of the host a few bytes of this object, more from the pool.
  /// Throws OutOfMemory.
  void* hold(std::ptrdiff_t bytes);
  /// The same on the host, wherever the evaluation is.
  void* hold_on_host(std::ptrdiff_t bytes);

  /// Storage for so many leaves of an operand that is lowered on its own.
  std::span<Operand> spare_leaves(int count) {
    const auto size = static_cast<std::size_t>(count);
    const std::span<Operand> spare = storage_.last(size);
    storage_ = storage_.first(storage_.size() - size);
    return spare;
  }

  /// A normalisation of this shape would be evaluated together with this expression.
  bool may_normalise(std::span<const std::ptrdiff_t> shape) const {
    return fusion_ == Fusion::one &&
           std::ranges::equal(shape, std::span(extents_).first(static_cast<std::size_t>(rank_)));
  }

  /// Defers a normalisation to the evaluator; returns the number of the leaf that its values are.
  int normalise(Normalisation normalisation, std::span<const std::ptrdiff_t> shape,
                std::span<const std::ptrdiff_t> strides, std::ptrdiff_t item) {
    normalisation.leaf = add(nullptr, shape, strides, item, place_);
    normalised_ = normalisation;
    return normalisation.leaf;
  }

  /// Defers a product to the evaluator if it covers the whole evaluated shape and is the only one.
  bool try_tile(const TiledProduct& product);

  int rank() const { return rank_; }
  const Axes& extents() const { return extents_; }
  Place place() const { return place_; }
  std::span<const Operand> leaves() const { return storage_.first(static_cast<std::size_t>(count_)); }
  std::span<Operand> leaves() { return storage_.first(static_cast<std::size_t>(count_)); }
  /// The product that has been deferred; what it stands for is a leaf of the normalisation's operand, if there is one.
  const std::optional<TiledProduct>& tiled() const { return outer_ != nullptr ? outer_->tiled_ : tiled_; }
  const std::optional<Normalisation>& normalised() const { return normalised_; }

 private:
  Operand& next(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides) {
    Operand& leaf = storage_[static_cast<std::size_t>(count_++)];
    const auto lead = static_cast<std::size_t>(rank_) - shape.size();
    for (std::size_t axis = 0; axis < lead; ++axis) leaf.strides[axis] = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      leaf.strides[lead + axis] = shape[axis] == 1 ? 0 : strides[axis];
    return leaf;
  }

  [[noreturn]] void throw_places_differ(Place place) const;
  void* hold_in_pool(std::ptrdiff_t bytes, Place place);

  std::span<Operand> storage_;
  int count_ = 0;
  int rank_;
  Axes extents_;
  Place place_;
  Fusion fusion_;
  std::optional<TiledProduct> tiled_;
  std::optional<Normalisation> normalised_;
  Lowering* outer_ = nullptr;
  std::ptrdiff_t held_ = 0;
  alignas(16) std::byte room_[256];
  std::array<std::optional<Temporary>, 2> results_;  // the first that are held in a pool
  std::vector<std::shared_ptr<const void>> kept_;
};

/// Throws ShapeError: an array without storage is an operand although its shape has an element.
[[noreturn]] void throw_no_operand_storage();

/// The shape to which all operands broadcast under NumPy's rules; `result` holds ones. Throws ShapeError with the shapes of the
/// first two operands that disagree and the axis. `operation` is named in the message.
void broadcast_into(std::span<std::ptrdiff_t> result, std::span<const std::span<const std::ptrdiff_t>> operands,
                    const char* operation);

}  // namespace tessera::plan
