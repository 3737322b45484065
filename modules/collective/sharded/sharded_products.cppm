module;
#include <cstddef>
export module tessera.collective:sharded_products;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import :reduce_op;
import :group;
import :layout;
import :sharded;
import :shard_map;

// Products of sharded vectors and matrices.
namespace tessera {

/// The dot product of vectors and matrices. One factor replicated and the other split along an axis that stays: each rank computes its part. Both split along the
/// axis that is summed over: each rank sums its part, and the group adds these up. Throws ShapeError that names both layouts for others.
export template <Operand A, Operand B>
  requires(rank_of<A> >= 1 && rank_of<A> <= 2 && rank_of<B> >= 1 && rank_of<B> <= 2)
auto dot(const Sharded<A>& a, const Sharded<B>& b,
         const std::source_location& where = std::source_location::current()) {
  collective::require_one_group("dot", a.group(), b.group());
  const collective::LaidOut left{a.layout(), a.shape().extents()}, right{b.layout(), b.shape().extents()};
  const collective::ProductLayout result = collective::layout_of_product(left, right);
  if (a.shape()[rank_of<A> - 1] != b.shape()[0]) {
    throw ShapeError(
        to_string(Failure{.operation = "dot",
                          .problem = "the factors do not have the same extent along the axis that is summed over",
                          .operands = {collective::text_of(left), collective::text_of(right)}}));
  }
  auto own = evaluate(dot(a.local(), b.local(), where));
  using Local = decltype(own);
  constexpr int rank = rank_of<Local>;
  Dim<rank> shape;
  int to = 0;
  if constexpr (rank_of<A> == 2) shape = shape.with(to++, a.shape()[0]);
  if constexpr (rank_of<B> == 2) shape = shape.with(to++, b.shape()[1]);
  std::vector<std::string> collectives;
  collective::add_collectives(collectives, a);
  collective::add_collectives(collectives, b);
  if (!result.sums_parts) return Sharded<Local>(a.group(), shape, result.layout, own, std::move(collectives));
  collective::add_line(collectives, collective::line_of("all_reduce", dtype_of<typename Local::value_type>,
                                                        own.shape().extents(), "dot over the axis that is split"));
  Local all = a.group().all_reduce(own, ReduceOp::sum, where);
  return Sharded<Local>(a.group(), shape, result.layout, all, std::move(collectives));
}

}  // namespace tessera
