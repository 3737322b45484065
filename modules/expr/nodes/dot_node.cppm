module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:dot_node;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;
import :plan;
import :lowering;
import :temporary;
import :node;
import :blas;
import :evaluate;
import :product_way;
import :product;
import :small_product;
import :factor;

// The node of a product of matrices and vectors, one or a batch of them.
namespace tessera {

/// Extents of a product: `rows` x `inner` times `inner` x `columns`.
struct ProductShape {
  std::ptrdiff_t rows, inner, columns;
};

/// Throws ShapeError: the extents of axis `a_axis` of `a` and axis `b_axis` of `b` differ; the message has both shapes and the caller's
/// location.
[[noreturn]] void throw_inner(const char* operation, std::span<const std::ptrdiff_t> a, int a_axis,
                              std::span<const std::ptrdiff_t> b, int b_axis, const std::source_location& where);

/// Throws it if they do.
[[gnu::always_inline]] inline void check_inner(const char* operation, std::span<const std::ptrdiff_t> a, int a_axis,
                                               std::span<const std::ptrdiff_t> b, int b_axis,
                                               const std::source_location& where) {
  if (a[static_cast<std::size_t>(a_axis)] != b[static_cast<std::size_t>(b_axis)]) [[unlikely]]
    throw_inner(operation, a, a_axis, b, b_axis, where);
}

/// Leading axes of a product's result.
template <int A, int B>
inline constexpr int batch_rank = std::max({A - 2, B - 2, 0});
template <int A, int B>
inline constexpr int product_rank = batch_rank<A, B> + (A > 1 ? 1 : 0) + (B > 1 ? 1 : 0);

/// How a product reaches memory with given strides.
struct ProductWriting {
  enum class Way : std::uint8_t {
    rows,
    columns,
    copied
  };  // straight, straight as its transpose, or through memory of its own

  Way way;
  std::ptrdiff_t row;  // from one row, or column, of the result to the next
};

/// A name or view of an array with elements of type T.
template <class Node, class T>
concept IsArrayOf = requires(const Node& node) { node.array(); } && std::same_as<typename Node::value_type, T>;

/// The product of two nodes: of matrices at the last two axes, or with one vector. Leading axes broadcast.
template <class A, class B>
class DotNode : public ExpressionOperations<DotNode<A, B>, promote_t<typename A::value_type, typename B::value_type>,
                                            product_rank<A::rank, B::rank>> {
  using Promoted = promote_t<typename A::value_type, typename B::value_type>;
  using Computed = compute_t<Promoted>;  // 16-bit types are summed in float
  static constexpr int batch = batch_rank<A::rank, B::rank>;

 public:
  using expression_tag = void;
  using value_type = Promoted;
  using place_type = typename join_places<typename A::place_type, typename B::place_type>::type;
  static constexpr int rank = product_rank<A::rank, B::rank>;
  static constexpr int leaf_count = 1;
  static constexpr int fusible = batch == 0 ? 1 : 0;
  static constexpr const char* name = "dot";

  /// Throws ShapeError if the inner extents differ or the leading axes do not broadcast.
  template <class Left, class Right>
  DotNode(Left&& a, Right&& b, const char* operation, const std::source_location& where)
      : a_(as_node(std::forward<Left>(a))), b_(as_node(std::forward<Right>(b))) {
    const Dim<A::rank> a_shape = a_.shape();
    const Dim<B::rank> b_shape = b_.shape();
    check_inner(operation, a_shape.extents(), A::rank - 1, b_shape.extents(), std::max(B::rank - 2, 0), where);
    if constexpr (batch > 0) {
      batch_.fill(1);
      const std::span<const std::ptrdiff_t> leading[] = {leading_axes(a_shape), leading_axes(b_shape)};
      plan::broadcast_into(batch_, leading, operation);
    }
  }

  Dim<rank> shape() const {
    const ProductShape extents = product_shape();
    Dim<rank> result;
    for (int axis = 0; axis < batch; ++axis) result = result.with(axis, batch_[static_cast<std::size_t>(axis)]);
    if constexpr (A::rank > 1) result = result.with(batch, extents.rows);
    if constexpr (B::rank > 1) result = result.with(rank - 1, extents.columns);
    return result;
  }
  std::optional<Place> place() const { return first_place(a_, b_); }
  const A& left() const { return a_; }
  const B& right() const { return b_; }

  /// The product reads whole rows and columns: any overlap with what is written matters.
  bool conflicts(const plan::Written& written) const { return any_leaf(plan::OverlapVisitor(written)); }
  bool any_leaf(const plan::LeafVisitor& visit) const { return a_.any_leaf(visit) || b_.any_leaf(visit); }

  /// Straight into elements of the computed type whose rows or columns are contiguous.
  void compute(Computed* data, const Strides<rank>& strides, Place place) const
    requires std::same_as<Computed, Promoted>
  {
    compute_as(data, strides, place);
  }

  /// From arrays to other memory of this shape, without looking for the best way to read and write them: around a small product that takes longer
  /// than the product. Returns whether it did; the general way does the rest, and says what is wrong.
  bool compute_directly(Computed* data, const Dim<rank>& shape, const Strides<rank>& strides, Place place) const
    requires(batch == 0 && IsArrayOf<A, Promoted> && IsArrayOf<B, Promoted> && std::same_as<Computed, Promoted>)
  {
    const bool on_host = place.on_host() && Place(a_.array().place()) == place && Place(b_.array().place()) == place;
    if constexpr (std::same_as<Computed, float> || std::same_as<Computed, double>) {
      if (on_host && is_of_product(shape) && has_columns_side_by_side(strides) &&
          plan::multiply_apart(Computed(), factors_in_memory(data, strides)))
        return true;
    }
    const ProductWriting to = writing(strides);
    if (!on_host || !is_of_product(shape) || to.way != ProductWriting::Way::rows) return false;
    const plan::Matrix a = matrix_of<true>(a_.shape(), a_.array().strides());
    const plan::Matrix b = matrix_of<false>(b_.shape(), b_.array().strides());
    return plan::multiply_apart({.a = a_.array().data(),
                                 .b = b_.array().data(),
                                 .rows = a.rows,
                                 .columns = b.columns,
                                 .inner = a.columns,
                                 .a_row = a.row,
                                 .a_column = a.column,
                                 .b_row = b.row,
                                 .b_column = b.column,
                                 .dtype = dtype_of<Computed>,
                                 .place = place},
                                {data, to.row});
  }

  /// As part of a larger expression: tile by tile with it where possible, computed first otherwise.
  LeafPlan<Computed> lower(plan::Lowering& lowering) const {
    if constexpr (batch == 0 && rank == 2) {
      const Factors factors = factors_by(FactorMaker(), lowering.place(), false);
      if (lowering.try_tile(matrices(factors))) {
        if (factors.a.owner) lowering.keep(factors.a.owner);
        if (factors.b.owner) lowering.keep(factors.b.owner);
        return {lowering.tiled()->leaf};
      }
      return computed_first(lowering, factors);
    } else {
      return computed_first(lowering, factors_by(FactorMaker(), lowering.place(), false));
    }
  }

  struct Factors {
    Factor<A::rank> a;
    Factor<B::rank> b;
    Place place;
  };

  /// Both factors, made by maker.template make<T, Left>(node, place, for_blas, evaluates), the left one first. For a product that is written as the
  /// transposed one they are in memory. Bytes that are cast to int32 on both sides stay bytes.
  template <class Maker>
  Factors factors_by(const Maker& maker, Place place, bool transposes) const {
    if (!place.on_host()) {
      constexpr bool for_blas = Floating<Promoted> || Complex<Promoted>;
      return {maker.template make<Promoted, true>(a_, place, for_blas),
              maker.template make<Promoted, false>(b_, place, for_blas), place};
    }
    if constexpr (WidenedBytes<A> && WidenedBytes<B>) {
      const auto& a = a_.template argument<0>();
      const auto& b = b_.template argument<0>();
      return {maker.template make<typename std::remove_cvref_t<decltype(a)>::value_type, true>(a, place, false),
              maker.template make<typename std::remove_cvref_t<decltype(b)>::value_type, false>(b, place, false),
              place};
    }
    const ProductShape extents = product_shape();
    const bool for_blas = plan::is_for_blas(dtype_of<Promoted>, extents.rows, extents.columns, extents.inner);
    if constexpr (std::same_as<Promoted, bfloat16>) {
      if (for_blas)
        return {maker.template make<bfloat16, true>(a_, place, true),
                maker.template make<bfloat16, false>(b_, place, true), place};
    }
    plan::EvaluatedFactors in_blocks;
    if (A::rank == 2 && B::rank == 2 && !transposes)
      in_blocks = plan::evaluated_factors(dtype_of<Computed>, extents.rows, extents.columns, extents.inner);
    const bool left =
        EvaluatedInBlocks<A, Computed> && in_blocks.a;  // then the right one would be evaluated by each tile
    return {maker.template make<Computed, true>(a_, place, for_blas, left),
            maker.template make<Computed, false>(b_, place, for_blas, !left && in_blocks.b), place};
  }

  /// The matrices at the first position of the leading axes.
  plan::TiledProduct matrices(const Factors& factors) const {
    const plan::Matrix a = matrix_of<true>(a_.shape(), factors.a.strides);
    const plan::Matrix b = matrix_of<false>(b_.shape(), factors.b.strides);
    return {.a = factors.a.data,
            .b = factors.b.data,
            .rows = a.rows,
            .columns = b.columns,
            .inner = a.columns,
            .a_row = a.row,
            .a_column = a.column,
            .b_row = b.row,
            .b_column = b.column,
            .dtype = dtype_of<Computed>,
            .place = factors.place,
            .a_type = factors.a.type,
            .b_type = factors.b.type,
            .a_loop = factors.a.loop,
            .b_loop = factors.b.loop};
  }

  /// All matrices, or the transposed product of each; `strides` are the result's.
  plan::BatchedProduct work(const Factors& factors, const Strides<rank>& strides, bool transposes) const {
    plan::BatchedProduct work{.matrices = oriented(factors, transposes), .rank = batch};
    if constexpr (batch > 0) {
      work.a_strides = leading_strides(a_.shape(), factors.a.strides);
      work.b_strides = leading_strides(b_.shape(), factors.b.strides);
      for (std::size_t axis = 0; axis < static_cast<std::size_t>(batch); ++axis) {
        work.extents[axis] = batch_[axis];
        work.c_strides[axis] = strides[axis];
      }
    }
    if (transposes) std::swap(work.a_strides, work.b_strides);
    return work;
  }

  /// Straight where rows or columns are contiguous.
  ProductWriting writing(const Strides<rank>& strides) const {
    using Way = ProductWriting::Way;
    const ProductShape extents = product_shape();
    const std::ptrdiff_t row = A::rank > 1 ? strides[static_cast<std::size_t>(batch)] : extents.columns;
    const std::ptrdiff_t column = B::rank > 1 ? strides[static_cast<std::size_t>(rank - 1)] : 1;
    if ((column == 1 || extents.columns == 1) && (row >= extents.columns || extents.rows == 1)) return {Way::rows, row};
    if ((row == 1 || extents.rows == 1) && (column >= extents.rows || extents.columns == 1))
      return {Way::columns, column};
    return {Way::copied, extents.columns};
  }

 private:
  template <int Rank>
  static std::span<const std::ptrdiff_t> leading_axes(const Dim<Rank>& shape) {
    return std::span<const std::ptrdiff_t>(shape.extents()).first(static_cast<std::size_t>(std::max(Rank - 2, 0)));
  }

  /// Of the right factor and of the result.
  bool has_columns_side_by_side(const Strides<rank>& strides) const {
    if constexpr (B::rank == 1) return true;
    return strides[static_cast<std::size_t>(rank - 1)] == 1 && b_.array().strides()[B::rank - 1] == 1;
  }

  plan::SmallFactors factors_in_memory(Computed* data, const Strides<rank>& strides) const {
    const plan::Matrix a = matrix_of<true>(a_.shape(), a_.array().strides());
    const plan::Matrix b = matrix_of<false>(b_.shape(), b_.array().strides());
    return {.a = a_.array().data(),
            .b = b_.array().data(),
            .c = data,
            .rows = a.rows,
            .columns = b.columns,
            .inner = a.columns,
            .a_column = a.column,
            .a_row = a.row,
            .c_row = A::rank == 1 ? b.columns : strides[0],
            .b_row = b.row};
  }

  bool is_of_product(const Dim<rank>& shape) const {
    const ProductShape extents = product_shape();
    return (A::rank == 1 || shape[0] == extents.rows) && (B::rank == 1 || shape[rank - 1] == extents.columns);
  }

  ProductShape product_shape() const {
    const auto& a = a_.shape();
    const auto& b = b_.shape();
    return {A::rank > 1 ? a[std::max(A::rank - 2, 0)] : 1, a[A::rank - 1], B::rank > 1 ? b[B::rank - 1] : 1};
  }

  plan::TiledProduct oriented(const Factors& factors, bool transposes) const {
    plan::TiledProduct one = matrices(factors);
    if (!transposes) return one;
    std::swap(one.a, one.b);
    std::swap(one.a_type, one.b_type);
    std::swap(one.rows, one.columns);
    std::swap(one.a_row, one.b_column);
    std::swap(one.a_column, one.b_row);
    return one;
  }

  /// Strides of a factor along the leading axes of the result, 0 where it repeats.
  template <int Rank>
  static plan::Axes leading_strides(const Dim<Rank>& shape, const Strides<Rank>& strides) {
    plan::Axes leading{};
    for (int axis = 0; axis < Rank - 2; ++axis) {
      leading[static_cast<std::size_t>(axis + batch - (Rank - 2))] =
          shape[axis] == 1 ? 0 : strides[static_cast<std::size_t>(axis)];
    }
    return leading;
  }

  /// The product into memory whose rows are contiguous, `row` elements apart, or, of its transpose, its columns.
  void run(const Factors& factors, Computed* data, const Strides<rank>& strides, std::ptrdiff_t row,
           bool transposes) const {
    if constexpr (batch == 0) {
      plan::run_product(oriented(factors, transposes), {data, row});
    } else {
      plan::run_batch(work(factors, strides, transposes), {data, row});
    }
  }

  void compute_as(Computed* data, const Strides<rank>& strides, Place place) const {
    const ProductWriting to = writing(strides);
    const Factors factors = factors_by(FactorMaker(), place, to.way == ProductWriting::Way::columns);
    if (to.way != ProductWriting::Way::copied)
      return run(factors, data, strides, to.row, to.way == ProductWriting::Way::columns);
    const Dim<rank> result = shape();
    const Strides<rank> packed = storage::contiguous_strides(result);
    const plan::Temporary values(place, product_bytes());
    run(factors, static_cast<Computed*>(values.data()), packed, to.row, false);
    const ArrayView<Computed, rank, Place> view(static_cast<Computed*>(values.data()),
                                                {.shape = result, .strides = packed}, place);
    evaluate_elementwise(LeafNode(view), data, result, strides, place);
  }

  LeafPlan<Computed> computed_first(plan::Lowering& lowering, const Factors& factors) const {
    auto memory = make_shared_object<plan::Temporary>(lowering.place(), product_bytes());
    const Dim<rank> result = shape();
    const Strides<rank> strides = storage::contiguous_strides(result);
    run(factors, static_cast<Computed*>(memory->data()), strides, product_shape().columns, false);
    const int leaf = lowering.add(memory->data(), result.extents(), strides, sizeof(Computed), lowering.place());
    lowering.keep(std::move(memory));
    return {leaf};
  }

  std::ptrdiff_t product_bytes() const {
    return core::checked_multiply(product(shape()), static_cast<std::ptrdiff_t>(sizeof(Computed)));
  }

  A a_;
  B b_;
  std::array<std::ptrdiff_t, static_cast<std::size_t>(batch)> batch_;
};

}  // namespace tessera
