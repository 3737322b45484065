module;
#include <cstddef>
#include <cstdint>
export module tessera.collective:group;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import tessera.algorithm;
import tessera.darray;
import :reduce_op;
import :communicator;
import :exchanging;

// Groups of processes, and what they do together with arrays.
namespace tessera {

export class Group;

/// The same bits for any number of ranks: see Group::all_reduce.
export struct Reproducible {};

/// What collectives read: arrays, views and expressions of at most nine axes, and dynamic ones. A parameter of a recording has no elements yet.
export template <class X>
concept CollectiveOperand =
    DynamicOperand<X> ||
    (Operand<X> && !DScalar<X> &&
     (!ArrayParameter<X> || unsatisfied<"a parameter has no elements before its replay: copy it to an array first">) &&
     (rank_of<X> <= max_rank || unsatisfied<"collectives take arrays of at most nine axes">));

/// What collectives write: arrays and views whose elements can be written, and dynamic arrays.
export template <class A>
concept CollectiveResult =
    std::same_as<std::remove_cvref_t<A>, DArray> ||
    (WritableElements<A> && (rank_of<A> <= max_rank || unsatisfied<"collectives take arrays of at most nine axes">));

/// A first axis of which each index is a shard.
template <class X>
concept HasShards = DynamicOperand<X> || (rank_of<X> >= 1 || unsatisfied<"a scalar has no axis of shards">);

namespace collective {

/// The elements as a dynamic array that shares their storage; those of an expression computed.
template <CollectiveOperand X>
DArray elements_of(const X& x) {
  if constexpr (ViewHandle<X>) {
    return adopt(const_cast<value_of<X>*>(x.data()), dtype_of<value_of<X>>, DDim(x.shape()), x.strides(), x.place());
  } else {
    return DArray(x);
  }
}
template <CollectiveResult A>
DArray result_of(const A& result) {
  if constexpr (ViewHandle<A>) {
    return adopt(result.data(), dtype_of<value_of<A>>, DDim(result.shape()), result.strides(), result.place());
  } else {
    return DArray(result);
  }
}

/// Where a result lies whose operand is an X.
template <class X>
using place_beside = std::conditional_t<std::is_void_v<place_of<X>>, CpuPlace, place_of<X>>;

/// A result in the type that goes with the operand's, with so many axes more.
template <class X, int More = 0>
auto as_beside(const DArray& result) {
  if constexpr (DynamicOperand<X>) {
    return result;
  } else {
    using T = value_of<X>;
    constexpr int rank = rank_of<X> + More;
    return Array<T, rank, place_beside<X>>(get<Array<T, rank>>(result));
  }
}

template <class X>
inline constexpr int rank_below_one = 0;
template <class X>
  requires(!DynamicOperand<X>)
inline constexpr int rank_below_one<X> = rank_of<X> == 0 ? 1 : 0;

/// What other parts of this room use of a group.
const Share& share_of(const Group& group) noexcept;

}  // namespace collective

/// Processes that work together, each with a rank from 0 to size() - 1: those that mpirun, or another launcher, has started. A program that is started by
/// itself is a group of one. A handle: copies are the same group.
///
/// Collectives are called by all ranks, in the same order and with arrays that fit; the ranks compare what they call, and what differs is a CollectiveError that
/// says both. They take elements of every type, in any layout and at any place. Outside of an Async scope they return when
/// this rank has its result. In a scope they are ops: they begin when their operand is ready, hold no worker while others are waited for, and run beside
/// whatever does not touch their arrays; their order among the ranks is that of the calls, so that one thread calls the collectives of a group.
///
/// A rank that has died, has ended, or does not come within the time limit is a CollectiveError for those that wait for it, and so is whatever is done with the
/// group after that.
export class Group {
  using Where = std::source_location;

 public:
  /// All processes of the job. Begins MPI, unless the program has done so, and ends it when the program ends. Throws CollectiveError if a launcher has started
  /// this process as one of several and MPI cannot be used.
  static Group world(const Where& where = Where::current());

  inline int rank() const noexcept { return group_->rank(); }
  inline int size() const noexcept { return group_->size(); }
  /// The number of this rank among those of its host: by it ranks choose GPUs.
  inline int local_rank() const noexcept { return group_->local_rank(); }
  /// "world"; of parts "world/1", by their colors.
  inline const std::string& name() const noexcept { return group_->name(); }

  /// The ranks that give the same color are a group, in the order of their ranks in this one, with its time limit. All ranks call it. What MPI keeps for a group is
  /// given back when the program ends: make those that are needed once.
  Group split(int color, const Where& where = Where::current()) const {
    return Group(collective::split(group_, color, where));
  }

  /// How long collectives of this rank wait for others, 60 s at first; 0: for ever.
  inline void set_time_limit(std::chrono::milliseconds limit) const { group_->set_time_limit(limit); }
  inline std::chrono::milliseconds time_limit() const { return group_->time_limit(); }

  /// Returns when all ranks have called it. Ops of a scheduler are not waited for.
  void barrier(const Where& where = Where::current()) const { collective::barrier(group_, where); }

  /// The elements of all ranks combined one by one, on every rank: all have the same shape. Of floating numbers the order depends on the number of ranks
  /// alone; numbers of 16 bits are added up as float and rounded once. Throws DTypeError if the op does not take the type.
  template <CollectiveOperand X>
  auto all_reduce(const X& x, ReduceOp op = ReduceOp::sum, const Where& where = Where::current()) const {
    return collective::as_beside<X>(collective::all_reduce(group_, collective::elements_of(x), op, where));
  }
  /// Writes it to `result`, which may be x itself. Throws ShapeError, DTypeError for another result.
  template <CollectiveResult A, CollectiveOperand X>
  void all_reduce_into(const A& result, const X& x, ReduceOp op = ReduceOp::sum,
                       const Where& where = Where::current()) const {
    collective::all_reduce_into(group_, collective::result_of(result), collective::elements_of(x), op, where);
  }
  /// The shards of all ranks combined, on every rank: a shard is what x has at one index of its first axis, and each rank may have another number of
  /// them. The order is that of one tree over all shards, in the order of the ranks: the same bits however the shards are divided among ranks, one rank
  /// included. Throws ShapeError for a scalar, or if no rank has a shard.
  template <CollectiveOperand X>
    requires HasShards<X>
  auto all_reduce(const X& x, ReduceOp op, Reproducible, const Where& where = Where::current()) const {
    return collective::as_beside<X, -1>(collective::all_reduce_shards(group_, collective::elements_of(x), op, where));
  }

  /// The same as all_reduce on rank `root`; others get an array without elements.
  template <CollectiveOperand X>
  auto reduce(const X& x, ReduceOp op = ReduceOp::sum, std::ptrdiff_t root = 0,
              const Where& where = Where::current()) const {
    return collective::as_beside<X>(collective::reduce(group_, collective::elements_of(x), op, root, where));
  }

  /// All elements combined, and divided along the first axis as equally as possible, the first parts one larger: part r to rank r.
  template <CollectiveOperand X>
  auto reduce_scatter(const X& x, ReduceOp op = ReduceOp::sum, const Where& where = Where::current()) const {
    return collective::as_beside<X>(collective::reduce_scatter(group_, collective::elements_of(x), op, where));
  }

  /// Writes the elements of rank `root` to x on all others: all have the same shape.
  template <CollectiveResult A>
  void broadcast(const A& x, std::ptrdiff_t root = 0, const Where& where = Where::current()) const {
    collective::broadcast(group_, collective::result_of(x), root, where);
  }

  /// What all ranks have, one after the other along the first axis, whose extents may differ; scalars become a vector. Waits until all ranks have said their
  /// extents, also in an Async scope.
  template <CollectiveOperand X>
  auto all_gather(const X& x, const Where& where = Where::current()) const {
    return collective::as_beside<X, collective::rank_below_one<X>>(
        collective::all_gather(group_, collective::elements_of(x), where));
  }
  /// Writes it to `result`. Throws ShapeError, DTypeError for another result.
  template <CollectiveResult A, CollectiveOperand X>
  void all_gather_into(const A& result, const X& x, const Where& where = Where::current()) const {
    collective::all_gather_into(group_, collective::result_of(result), collective::elements_of(x), where);
  }
  /// The same on rank `root`; others get an array without elements.
  template <CollectiveOperand X>
  auto gather(const X& x, std::ptrdiff_t root = 0, const Where& where = Where::current()) const {
    return collective::as_beside<X, collective::rank_below_one<X>>(
        collective::gather(group_, collective::elements_of(x), root, where));
  }

  /// This rank's part of what rank `root` has, divided along the first axis as equally as possible, the first parts one larger. What others pass says the type
  /// and the number of axes. Waits until the root has said its shape, also in an Async scope.
  template <CollectiveOperand X>
  auto scatter(const X& x, std::ptrdiff_t root = 0, const Where& where = Where::current()) const {
    return collective::as_beside<X>(collective::scatter(group_, collective::elements_of(x), root, where));
  }

  /// Part r of each rank's first axis to rank r, divided as equally as possible; what has come one after the other in the order of the ranks.
  template <CollectiveOperand X>
  auto all_to_all(const X& x, const Where& where = Where::current()) const {
    return collective::as_beside<X>(collective::all_to_all(group_, collective::elements_of(x), where));
  }

  /// Sends to another rank, which receives it. Messages between two ranks with the same tag, from 0 to 16000, arrive in their order. Throws IndexError
  /// for this rank itself.
  template <CollectiveOperand X>
  void send(const X& x, std::ptrdiff_t to, int tag = 0, const Where& where = Where::current()) const {
    collective::send(group_, collective::elements_of(x), to, tag, where);
  }
  /// What another rank sends. Throws ShapeError or DTypeError if something else comes than an array of the result's type and shape.
  template <CollectiveResult A>
  void receive_into(const A& result, std::ptrdiff_t from, int tag = 0, const Where& where = Where::current()) const {
    collective::receive_into(group_, collective::result_of(result), from, tag, where);
  }
  /// The same in a new array, of any extents: group.receive<Array<float, 2>>(0). Waits for it, also in an Async scope.
  template <HeldArray A>
  A receive(std::ptrdiff_t from, int tag = 0, const Where& where = Where::current()) const {
    return get<A>(collective::receive(group_, dtype_of<typename A::value_type>, A::rank, from, tag, where));
  }
  /// Whatever array the other rank sends, of any type and shape: group.receive<DArray>(0).
  template <std::same_as<DArray> A>
  A receive(std::ptrdiff_t from, int tag = 0, const Where& where = Where::current()) const {
    return collective::receive(group_, from, tag, where);
  }

  friend bool operator==(const Group& a, const Group& b) noexcept { return a.group_ == b.group_; }
  friend const collective::Share& collective::share_of(const Group& group) noexcept;

 private:
  inline explicit Group(collective::Share group) : group_(std::move(group)) {}

  collective::Share group_;
};

}  // namespace tessera
