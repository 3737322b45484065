module;
#include <array>
#include <concepts>
#include <cstddef>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <type_traits>
#include <utility>
export module tessera.expr:dot;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;
import :plan;
import :lowering;
import :node;
import :evaluate;
import :product;
import :map;
import :operators;
import :reduction;

// Products of matrices and vectors.
namespace tessera {

/// Extents of a product: `rows` x `inner` times `inner` x `columns`.
struct ProductShape {
  std::ptrdiff_t rows, inner, columns;
};

/// Throws ShapeError if the inner extents differ; the message has both shapes and the caller's location.
void check_inner(std::ptrdiff_t a_inner, std::ptrdiff_t b_inner, const std::string& a, const std::string& b,
                 const std::source_location& where);

/// The product of two nodes of rank 1 or 2, at least one of rank 2.
template <class A, class B>
class DotNode {
  using Promoted = promote_t<typename A::value_type, typename B::value_type>;
  using Computed = compute_t<Promoted>;  // the BLAS has no 16-bit types: they are multiplied in float

 public:
  using expression_tag = void;
  using value_type = Promoted;
  using place_type = typename join_places<typename A::place_type, typename B::place_type>::type;
  static constexpr int rank = A::rank + B::rank - 2;
  static constexpr int leaf_count = 1;
  static constexpr int products = 1;
  static constexpr const char* name = "dot";

  /// Throws ShapeError if the inner extents differ.
  DotNode(A a, B b, const std::source_location& where) : a_(std::move(a)), b_(std::move(b)) {
    check_inner(a_.shape()[A::rank - 1], b_.shape()[0], to_string(a_.shape()), to_string(b_.shape()), where);
  }

  Dim<rank> shape() const {
    const ProductShape extents = product_shape();
    if constexpr (rank == 2)
      return {extents.rows, extents.columns};
    else if constexpr (A::rank == 2)
      return {extents.rows};
    else
      return {extents.columns};
  }
  std::optional<Place> place() const { return first_place(a_, b_); }
  const A& left() const { return a_; }
  const B& right() const { return b_; }

  /// The product reads whole rows and columns: any overlap with what is written matters.
  bool conflicts(const plan::Written& written) const { return overlaps(written); }
  bool overlaps(const plan::Written& written) const { return a_.overlaps(written) || b_.overlaps(written); }

  /// Straight into elements of the computed type whose last axis is contiguous.
  void compute(Computed* data, const Strides<rank>& strides, Place place) const
    requires std::same_as<Computed, Promoted>
  {
    const auto a = materialise<Computed>(a_, place);
    const auto b = materialise<Computed>(b_, place);
    const ProductShape extents = product_shape();
    const std::ptrdiff_t row = rank == 2 ? strides[0] : A::rank == 2 ? strides[0] : extents.columns;
    const std::ptrdiff_t column = rank == 2 ? strides[rank - 1] : A::rank == 2 ? 1 : strides[0];
    const bool fits = (column == 1 || extents.columns == 1) && (row >= extents.columns || extents.rows == 1);
    if (fits) return plan::run_product(described(a, b), {data, row});
    const Dim<rank> result = shape();
    const Strides<rank> packed = contiguous_strides(result);
    const memory::Allocation values(CpuPlace{}, product_bytes());
    plan::run_product(described(a, b), {values.data(), extents.columns});
    const ArrayView<Computed, rank, Place> view(static_cast<Computed*>(values.data()),
                                                {.shape = result, .strides = packed}, place);
    evaluate_elementwise(LeafNode(view), data, result, strides, place);
  }

  /// As part of a larger expression: tile by tile with it where possible, computed first otherwise.
  LeafPlan<Computed> lower(plan::Lowering& lowering) const {
    const auto a = materialise<Computed>(a_, lowering.place());
    const auto b = materialise<Computed>(b_, lowering.place());
    plan::TiledProduct described_product = described(a, b);
    if (rank == 2 && lowering.try_tile(described_product)) {
      if (a.owner) lowering.keep(a.owner);
      if (b.owner) lowering.keep(b.owner);
      return {lowering.tiled()->leaf};
    }
    auto memory = std::make_shared<memory::Allocation>(CpuPlace{}, product_bytes());
    plan::run_product(described_product, {memory->data(), product_shape().columns});
    const Dim<rank> result = shape();
    const Strides<rank> strides = contiguous_strides(result);
    const int leaf = lowering.add(memory->data(), result.extents(), strides, sizeof(Computed), lowering.place());
    lowering.keep(std::move(memory));
    return {leaf};
  }

 private:
  ProductShape product_shape() const {
    return {A::rank == 2 ? a_.shape()[0] : 1, b_.shape()[0], B::rank == 2 ? b_.shape()[B::rank - 1] : 1};
  }
  std::ptrdiff_t product_bytes() const { return checked_multiply(product(shape()), sizeof(Computed)); }

  plan::TiledProduct described(const Materialised<Computed, A::rank>& a,
                               const Materialised<Computed, B::rank>& b) const {
    const ProductShape extents = product_shape();
    return {.a = a.data,
            .b = b.data,
            .rows = extents.rows,
            .columns = extents.columns,
            .inner = extents.inner,
            .a_row = A::rank == 2 ? a.strides[0] : extents.inner,
            .a_column = a.strides[A::rank - 1],
            .b_row = b.strides[0],
            .b_column = B::rank == 2 ? b.strides[B::rank - 1] : 1,
            .dtype = dtype_of<Computed>,
            .leaf = -1};
  }

  A a_;
  B b_;
};

/// Two operands that dot can multiply: vectors and matrices with a common numeric element type.
export template <class A, class B>
concept DotOperands = Operand<A> && Operand<B> && Combinable<A, B> && Numeric<common_value_t<A, B>> &&
                      ((rank_of<A> >= 1 && rank_of<A> <= 2 && rank_of<B> >= 1 && rank_of<B> <= 2) ||
                       unsatisfied<"dot multiplies vectors and matrices: operands of rank 1 or 2">);

/// Matrix product; with a vector, its product with the matrix; of two vectors, their inner product. Transposed operands
/// (`a.T()`) go to the BLAS as flags. Elementwise work around a product of matrices is applied tile by tile. Throws ShapeError
/// if the inner extents differ.
export template <class A, class B>
  requires DotOperands<A, B>
auto dot(A&& a, B&& b, std::source_location where = std::source_location::current()) {
  auto left = as_node(std::forward<A>(a));
  auto right = as_node(std::forward<B>(b));
  if constexpr (rank_of<A> == 1 && rank_of<B> == 1) {
    check_inner(left.shape()[0], right.shape()[0], to_string(left.shape()), to_string(right.shape()), where);
    return sum(std::move(left) * std::move(right));
  } else {
    return DotNode<decltype(left), decltype(right)>(std::move(left), std::move(right), where);
  }
}

}  // namespace tessera
