module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:picked_target;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :plan;
import :lowering;
import :temporary;
import :positions;
import :picking_gathering;
import :scattering;
import :node;
import :evaluate;
import :picks;
import :taken_node;
import :arithmetic;
import :operators;
import :select;
import :assign;

// Writing through index arrays and masks: x(indices) = e, x(mask) = 0, x(rows, columns) += e.
namespace tessera {

/// Values for elements that indices pick, as a node: it has the shape of the array that it writes a part of.
template <Elements D, class Picked, class Source>
class ScatterNode : public ExpressionOperations<ScatterNode<D, Picked, Source>, typename D::value_type, D::rank> {
  using T = typename D::value_type;
  static constexpr int at = Picked::at;

 public:
  using expression_tag = void;
  using value_type = T;
  using place_type = typename D::place_type;
  static constexpr int rank = D::rank;
  static constexpr int leaf_count = 0;
  static constexpr int fusible = 0;
  static constexpr const char* name = "scatter";

  ScatterNode(LeafNode<D> target, Picked elements, Source source, plan::Scattering how)
      : target_(std::move(target)), elements_(std::move(elements)), source_(std::move(source)), how_(how) {}

  const Dim<rank>& shape() const { return target_.shape(); }
  std::optional<Place> place() const { return target_.place(); }
  bool conflicts(const plan::Written&) const { return false; }
  /// The elements that are not written keep their values, so that the target is an operand.
  bool any_leaf(const plan::LeafVisitor& visit) const {
    return target_.any_leaf(visit) || elements_.any_leaf(visit) || source_.any_leaf(visit);
  }

  /// Writes the picked elements of the target. Throws ShapeError, IndexError, PlaceError, OutOfMemory; nothing has been written then.
  void scatter() const {
    const D& target = target_.array();
    const Place place = target.place();
    const Dim<Picked::rank> shape = elements_.shape();
    storage::check_broadcast(Dim<Source::rank>(source_.shape()).extents(), shape.extents(), "assignment");
    storage::require_distinct_elements(target.shape().extents(), target.strides(), "assignment");
    if (product(shape) == 0) return check_indices();
    const auto picks = elements_.picks();
    constexpr int positions_rank = rank_of_picks(static_cast<const decltype(picks)*>(nullptr));
    constexpr int others = Picked::rank - positions_rank;
    const auto picked_extents = shape.extents().template subspan<at, positions_rank>();
    const Values values = values_for(shape, positions_rank, place);
    std::array<std::ptrdiff_t, static_cast<std::size_t>(others)> extents{}, strides{}, value_strides{};
    for (int axis = 0; axis < others; ++axis) {
      const int seen = axis < at ? axis : axis + positions_rank;
      const auto to = static_cast<std::size_t>(axis);
      extents[to] = shape[seen];
      strides[to] = target.strides()[static_cast<std::size_t>(axis < at ? axis : axis + rank - others)];
      value_strides[to] = values.strides[static_cast<std::size_t>(seen)];
    }
    plan::ScatteredMemory memory{.data = target.data(),
                                 .type = dtype_of<T>,
                                 .at = {},
                                 .values = values.data,
                                 .values_step = values.strides[static_cast<std::size_t>(at + positions_rank - 1)],
                                 .extents = extents,
                                 .strides = strides,
                                 .value_strides = value_strides};
    const bool assigns_on_gpu = !place.on_host() && how_ == plan::Scattering::assign;
    if (assigns_on_gpu && is_scattered_by_gpu(memory, picks, picked_extents, place)) return;
    const auto held = held_picks(picks);
    std::optional<plan::Temporary> offsets;
    memory.at = indices_for(held.pickers(), picked_extents, place.on_host(), offsets);
    if (assigns_on_gpu) return plan::scatter_on_device(memory, place);
    place.on_host() ? plan::scatter(memory, how_) : plan::combine_on_device(memory, how_, place);
  }

 private:
  /// Indices that are on the target's GPU, apart from what is written, need not come to the host if all of them are inside.
  template <class... Picks>
  bool is_scattered_by_gpu(const plan::ScatteredMemory& memory, const std::tuple<Picks...>& picks,
                           std::span<const std::ptrdiff_t> positions, Place place) const {
    if constexpr (may_be_on_gpu<D>) {
      if (!HeldPicks<at, Picks...>::are_at(picks, place)) return false;
      const HeldPicks<at, Picks...> held(picks, target_.shape().extents(), target_.array().strides(), place);
      const auto is_apart = [&](const plan::Picker& picker) {
        const auto rank_of_picker = static_cast<std::size_t>(picker.rank);
        return !plan::overlaps(written(), {picker.data, std::span(picker.shape).first(rank_of_picker),
                                           std::span(picker.strides).first(rank_of_picker), item_size(picker.type)});
      };
      for (const plan::Picker& picker : held.pickers()) {
        if (!is_apart(picker)) return false;
      }
      return plan::scatter_picked(memory, held.pickers(), positions, place);
    }
    return false;
  }

  plan::Written written() const {
    return {target_.array().data(), target_.shape().extents(), target_.array().strides(), sizeof(T)};
  }

  /// Elements of the source in memory, with the strides of the picked elements' shape.
  struct Values {
    const T* data;
    Strides<Picked::rank> strides;
    std::shared_ptr<const void> owner;
  };

  template <class... Picks>
  static constexpr int rank_of_picks(const std::tuple<Picks...>*) {
    return std::max({Picks::rank...});
  }
  template <class... Picks>
  HeldPicks<at, Picks...> held_picks(const std::tuple<Picks...>& picks) const {
    return {picks, target_.shape().extents(), target_.array().strides()};
  }

  /// A vector of int64 that lies apart from what is written as it lies, if that may be, other indices as offsets.
  plan::ScatteredIndices indices_for(std::span<const plan::Picker> pickers, std::span<const std::ptrdiff_t> extents,
                                     bool may_be_vector, std::optional<plan::Temporary>& offsets) const {
    const plan::Picker& first = pickers[0];
    const bool is_vector = may_be_vector && pickers.size() == 1 && first.rank == 1 && first.axes == 1 &&
                           first.type != DType::int32 && first.strides[0] == 1;
    if (is_vector && !plan::overlaps(written(), {first.data, std::span(first.shape).first(1),
                                                 std::span(first.strides).first(1), sizeof(std::int64_t)}))
      return {.indices = {static_cast<const std::int64_t*>(first.data), static_cast<std::size_t>(first.shape[0])},
              .extent = first.extents[0],
              .stride = first.steps[0]};
    std::ptrdiff_t count = 1;
    for (const std::ptrdiff_t extent : extents) count *= extent;
    offsets.emplace(CpuPlace{}, count * static_cast<std::ptrdiff_t>(sizeof(std::int64_t)));
    auto* const to = static_cast<std::int64_t*>(offsets->data());
    plan::write_offsets(to, extents, pickers);
    return {.indices = {to, static_cast<std::size_t>(count)}};
  }

  /// Without elements the indices are checked all the same.
  void check_indices() const { static_cast<void>(held_picks(elements_.picks())); }

  Values values_for(const Dim<Picked::rank>& shape, int positions_rank, Place place) const {
    constexpr bool is_in_memory = requires { source_.array(); } && std::same_as<typename Source::value_type, T>;
    if (!is_in_memory || !source_.any_leaf(plan::OverlapVisitor(written()))) {
      auto held = materialise<T>(source_, place);
      Values values{held.data, {}, std::move(held.owner)};
      constexpr std::size_t lead = Picked::rank - Source::rank;
      for (std::size_t axis = lead; axis < values.strides.size(); ++axis)
        values.strides[axis] = held.shape[static_cast<int>(axis - lead)] == 1 ? 0 : held.strides[axis - lead];
      if (go_on(values.strides, shape, positions_rank)) return values;
    }
    auto owner = make_shared_object<plan::Temporary>(
        place, core::checked_multiply(product(shape), static_cast<std::ptrdiff_t>(sizeof(T))));
    T* const data = static_cast<T*>(owner->data());
    const auto strides = storage::contiguous_strides(shape);
    evaluate_elementwise(source_, data, shape, strides, place);
    return {data, strides, std::move(owner)};
  }

  /// The axes of the positions are one for these strides.
  static bool go_on(const Strides<Picked::rank>& strides, const Dim<Picked::rank>& shape, int positions_rank) {
    for (int axis = at; axis + 1 < at + positions_rank; ++axis) {
      const auto here = static_cast<std::size_t>(axis);
      if (strides[here] != strides[here + 1] * shape[axis + 1]) return false;
    }
    return true;
  }

  LeafNode<D> target_;
  Picked elements_;
  Source source_;
  plan::Scattering how_;
};

/// The picks are one mask, so that a source without its axis is written where the mask is true.
template <class... Picks>
constexpr bool are_one_mask(const std::tuple<Picks...>*) {
  return false;
}
template <class Mask>
constexpr bool are_one_mask(const std::tuple<MaskPick<Mask>>*) {
  return true;
}

/// Elements that index arrays or masks pick of an array or view D: an operand, as they are read, and a target.
template <Elements D, class Picked>
class PickedTarget : public Picked {
 public:
  using read_node = Picked;
  using value_type = typename Picked::value_type;
  using place_type = typename Picked::place_type;
  static constexpr int rank = Picked::rank;

  /// `target sign= source`.
  template <plan::Scattering How>
  struct Scattered {
    template <class S>
    static constexpr bool takes = AssignableSource<S, value_type, rank, place_type> && !std::same_as<value_type, bool>;
    template <class S>
    static void perform(const PickedTarget& target, const S& source) {
      target.write<How>(source);
    }
  };

  explicit PickedTarget(Picked picked) : Picked(std::move(picked)) {}
  PickedTarget(const PickedTarget&) = default;

  /// Writes the elements that are picked, broadcasting the source to their shape. Of an index that is there several times the last value wins.
  /// Throws IndexError, ShapeError, OutOfMemory; nothing has been written then.
  const PickedTarget& operator=(
      storage::Assigned<const PickedTarget, storage::OtherElementsAssignment<PickedTarget>> source) const {
    source.to(*this);
    return *this;
  }
  const PickedTarget& operator=(const PickedTarget& source) const {
    assign(*this, static_cast<const Picked&>(source));
    return *this;
  }
  template <class S>
    requires storage::MisfitOfElements<S, value_type, rank, place_type, storage::Misfit::more_axes>
  void operator=(const S&) const = delete;  // the source has more axes than what is picked: index or reduce it
  // clang-format off
  template <class S>
    requires storage::MisfitOfElements<S, value_type, rank, place_type, storage::Misfit::values>
  void operator=(const S&) const = delete;  // the elements do not fit: only floats narrow by themselves, write cast<T>(x)
  // clang-format on
  template <class S>
    requires storage::MisfitOfElements<S, value_type, rank, place_type, storage::Misfit::places>
  void operator=(const S&) const = delete;  // the source is on another place than the array: move it with to(place)

  /// Adds to the elements that are picked: of an index that is there several times all values are added, in their order. Throws as =.
  const PickedTarget& operator+=(storage::Assigned<const PickedTarget, Scattered<plan::Scattering::add>> source) const {
    source.to(*this);
    return *this;
  }
  const PickedTarget& operator-=(
      storage::Assigned<const PickedTarget, Scattered<plan::Scattering::subtract>> source) const {
    source.to(*this);
    return *this;
  }
  const PickedTarget& operator*=(
      storage::Assigned<const PickedTarget, Scattered<plan::Scattering::multiply>> source) const {
    source.to(*this);
    return *this;
  }
  const PickedTarget& operator/=(
      storage::Assigned<const PickedTarget, Scattered<plan::Scattering::divide>> source) const {
    source.to(*this);
    return *this;
  }

  /// Combines the elements that are picked with the values of a source: scatter_minimum() and the like. Throws as =.
  template <plan::Scattering How, class S>
  void write(const S& source) const {
    if constexpr (is_masked && rank_of<S> < rank - Picked::at) {
      write_where<How>(source);
    } else {
      const auto node = as_node_of_source(source);
      tessera::assign(this->source().array(),
                      ScatterNode<D, Picked, std::remove_cvref_t<decltype(node)>>(this->source(), *this, node, How));
    }
  }

 private:
  using PicksOfThis = std::remove_cvref_t<decltype(std::declval<const Picked&>().picks())>;
  static constexpr bool is_masked = are_one_mask(static_cast<const PicksOfThis*>(nullptr));

  /// A scalar becomes an element, as in an assignment.
  template <class S>
  static auto as_node_of_source(const S& source) {
    if constexpr (Operand<S>) {
      return as_node(source);
    } else {
      return std::remove_cvref_t<decltype(as_assigned_node<value_type>(source))>(as_assigned_node<value_type>(source));
    }
  }

  /// In one pass over all elements, in any place, to which a mask in memory elsewhere is copied.
  template <plan::Scattering How, class S>
  void write_where(const S& source) const {
    const auto& mask = std::get<0>(this->picks()).mask();
    if constexpr (may_be_on_gpu<D> && requires { mask.array().place(); }) {
      const Place place = this->source().array().place();
      if (const Place from = mask.array().place(); from != place && !(from.on_host() && place.on_host())) {
        return write_along<How>(source, as_node(mask.array().to(place)));
      }
    }
    write_along<How>(source, mask);
  }

  template <plan::Scattering How, class S, class Mask>
  void write_along(const S& source, const Mask& mask) const {
    const auto& elements = this->source().array();
    constexpr int trailing = D::rank - Picked::at - std::tuple_element_t<0, PicksOfThis>::axes;
    const auto along = viewed(mask, [](const auto& layout) { return with_axes_behind<trailing>(layout); });
    using plan::Scattering;
    if constexpr (How == Scattering::assign) tessera::assign(elements, where(along, source, elements));
    if constexpr (How == Scattering::add) tessera::assign(elements, where(along, elements + source, elements));
    if constexpr (How == Scattering::subtract) tessera::assign(elements, where(along, elements - source, elements));
    if constexpr (How == Scattering::multiply) tessera::assign(elements, where(along, elements * source, elements));
    if constexpr (How == Scattering::divide) tessera::assign(elements, where(along, elements / source, elements));
    if constexpr (How == Scattering::minimum)
      tessera::assign(elements, where(along, tessera::minimum(elements, source), elements));
    if constexpr (How == Scattering::maximum)
      tessera::assign(elements, where(along, tessera::maximum(elements, source), elements));
  }

  template <int Count, int Rank>
  static Layout<Rank + Count> with_axes_behind(const Layout<Rank>& layout) {
    Layout<Rank + Count> result{.offset = layout.offset};
    for (int axis = 0; axis < Rank + Count; ++axis) {
      const auto to = static_cast<std::size_t>(axis);
      result.shape = result.shape.with(axis, axis < Rank ? layout.shape[axis] : 1);
      result.strides[to] = axis < Rank ? layout.strides[to] : 0;
    }
    return result;
  }
};

/// Writes the picked elements: what = does.
export template <Elements D, class Picked, class S>
void assign(const PickedTarget<D, Picked>& target, const S& source) {
  target.template write<plan::Scattering::assign>(source);
}

/// picked() of elements that can be written.
export template <Elements A, class... I>
  requires storage::PickingIndexers<A::rank, I...>
auto picked_to_write(const A& x, const I&... indexers) {
  using Picked = decltype(picked(x, indexers...));
  using D = std::remove_cvref_t<decltype(std::declval<const Picked&>().source().array())>;
  return PickedTarget<D, Picked>(picked(x, indexers...));
}

/// Elements of which slices along the first axis are combined with values.
template <class X, class I, class S>
concept ScatterOperands =
    Elements<X> && WritableElements<X> && Operand<I> && Integer<value_of<I>> && (rank_of<I> >= 1) && (X::rank >= 1) &&
    AssignableSource<S, value_of<X>, X::rank - 1 + rank_of<I>, place_of<X>>;

/// Adds values to the slices of x along its first axis that the indices name, all of them where an index is there several times: x(indices) += values. Throws as
/// that does.
export template <class X, class I, class S>
  requires ScatterOperands<X, I, S>
void scatter_add(const X& x, const I& indices, const S& values) {
  picked_to_write(x, indices) += values;
}

/// The smaller one of each element and all values for it; as scatter_add(). NaN if one of them is.
export template <class X, class I, class S>
  requires ScatterOperands<X, I, S> && Real<value_of<X>>
void scatter_min(const X& x, const I& indices, const S& values) {
  picked_to_write(x, indices).template write<plan::Scattering::minimum>(values);
}

/// The larger one of each element and all values for it; as scatter_add(). NaN if one of them is.
export template <class X, class I, class S>
  requires ScatterOperands<X, I, S> && Real<value_of<X>>
void scatter_max(const X& x, const I& indices, const S& values) {
  picked_to_write(x, indices).template write<plan::Scattering::maximum>(values);
}

}  // namespace tessera
