module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:picks;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import :plan;
import :lowering;
import :gathering;
import :picking_gathering;
import :positions;
import :node;
import :evaluate;

// What picks along axes of an array: an array of indices along one, a mask along as many as it has. Together they have the shape to which their own
// shapes broadcast.
namespace tessera {

/// Throws ShapeError: a mask has not the extents of the axes along which it picks, of which the first is `axis` of the user's array.
[[noreturn]] void throw_wrong_mask(std::span<const std::ptrdiff_t> mask, std::span<const std::ptrdiff_t> extents,
                                   int axis);

/// Indices in memory, and what keeps them.
template <int Rank>
struct HeldIndices {
  const void* data;
  Dim<Rank> shape;
  Strides<Rank> strides;
  DType type;
  std::shared_ptr<const void> owner;  // null for the user's own memory
};

/// What picks, on a GPU, as an array on the host, complete.
template <class Node>
auto copied_to_host(const Node& node) {
  auto copied = evaluate(node).to(Place(CpuPlace{}));
  copied.wait(schedule::Purpose::read);
  return copied;
}

/// What picks may be on a GPU.
template <class Node>
inline constexpr bool may_be_on_gpu =
    !std::same_as<typename Node::place_type, CpuPlace> && !std::is_void_v<typename Node::place_type>;

/// Indices at a place at which they are, or are made. Those of the types that loops and kernels gather by are read where they lie; others become int64 first.
template <class Indices>
HeldIndices<Indices::rank> indices_at(const Indices& node, Place place) {
  using I = typename Indices::value_type;
  constexpr bool is_wide = std::same_as<I, std::uint64_t>;
  using Read = std::conditional_t<is_wide || std::same_as<I, std::int32_t>, I, std::int64_t>;
  const auto held = materialise<Read>(node, place);
  return {held.data, held.shape, held.strides, dtype_of<Read>, held.owner};
}

/// Indices in memory of the host. Those on a GPU are copied to it, which waits.
template <class Indices>
HeldIndices<Indices::rank> indices_in_memory(const Indices& node) {
  const Place place = node.place().value_or(Place(CpuPlace{}));
  if constexpr (may_be_on_gpu<Indices>) {
    if (!place.on_host()) {
      const auto copied = copied_to_host(node);
      auto held = indices_in_memory(as_node(copied));
      if (held.owner == nullptr) held.owner = make_shared_object<std::remove_const_t<decltype(copied)>>(copied);
      return held;
    }
  }
  return indices_at(node, place);
}

/// The shape with these extents, of which there are `Rank`.
template <int Rank>
Dim<Rank> dim_of(std::span<const std::ptrdiff_t> extents) {
  Dim<Rank> shape;
  for (int axis = 0; axis < Rank; ++axis) shape = shape.with(axis, extents[static_cast<std::size_t>(axis)]);
  return shape;
}

/// An array of indices.
template <class Indices>
class IndexPick {
 public:
  static constexpr int axes = 1;
  static constexpr int rank = Indices::rank;

  IndexPick(Indices indices, const Dim<1>&, int source_axis)
      : indices_(std::move(indices)), source_axis_(source_axis) {}

  Dim<rank> shape() const { return indices_.shape(); }
  bool any_leaf(const plan::LeafVisitor& visit) const { return indices_.any_leaf(visit); }
  const Indices& indices() const { return indices_; }
  int source_axis() const { return source_axis_; }

  /// What picks can be read at a place of a GPU without a copy from elsewhere.
  bool is_at(Place place) const {
    if constexpr (!std::same_as<typename Indices::place_type, CpuPlace>)
      return indices_.place().value_or(place) == place;
    return false;
  }

  /// What picks, in memory of the host that `owner` keeps. Throws PlaceError.
  plan::Picker hold(std::shared_ptr<const void>& owner) const { return picker_of(indices_in_memory(indices_), owner); }
  /// The same in memory of a place.
  plan::Picker hold_at(Place place, std::shared_ptr<const void>& owner) const {
    return picker_of(indices_at(indices_, place), owner);
  }

 private:
  plan::Picker picker_of(HeldIndices<rank> held, std::shared_ptr<const void>& owner) const {
    owner = std::move(held.owner);
    plan::Picker picker{.data = held.data, .type = held.type, .rank = rank, .axes = 1, .axis = source_axis_};
    std::ranges::copy(held.shape.extents(), picker.shape.begin());
    std::ranges::copy(held.strides, picker.strides.begin());
    return picker;
  }

  Indices indices_;
  int source_axis_;
};

/// A mask, which is read when it is first asked how much it picks. Copies share what was found.
template <class Mask>
class MaskPick {
 public:
  static constexpr int axes = Mask::rank;
  static constexpr int rank = 1;

  /// `extents` are those of the axes along which it picks. Throws ShapeError.
  MaskPick(Mask mask, const Dim<axes>& extents, int source_axis) : mask_(std::move(mask)), source_axis_(source_axis) {
    const Dim<axes> shape = mask_.shape();
    if (shape != extents) throw_wrong_mask(shape.extents(), extents.extents(), source_axis);
  }

  Dim<1> shape() const { return Dim{positions().count()}; }
  bool any_leaf(const plan::LeafVisitor& visit) const { return !*positions_ && mask_.any_leaf(visit); }
  const Mask& mask() const { return mask_; }

  /// Its positions are of the host.
  static bool is_at(Place) { return false; }

  plan::Picker hold(std::shared_ptr<const void>& owner) const {
    const plan::MaskPositions& found = positions();
    owner = positions_;
    plan::Picker picker{.data = found.data(), .type = DType::int64, .rank = 1, .axes = axes, .axis = source_axis_};
    picker.shape[0] = found.count();
    picker.strides[0] = 1;
    return picker;
  }
  plan::Picker hold_at(Place, std::shared_ptr<const void>& owner) const { return hold(owner); }

 private:
  /// Waits for ops that are pending on the mask. Throws PlaceError, OutOfMemory.
  const plan::MaskPositions& positions() const {
    if (*positions_) return **positions_;
    const auto read = [&](const auto& elements) { positions_->emplace(elements.data(), product(elements.shape())); };
    if constexpr (may_be_on_gpu<Mask>) {
      const Place place = mask_.place().value_or(Place(CpuPlace{}));
      if (!place.on_host()) {
        read(copied_to_host(mask_));
        return **positions_;
      }
    }
    if constexpr (requires { mask_.array().is_contiguous(); }) {
      if (mask_.array().is_contiguous()) {
        mask_.array().wait(schedule::Purpose::read);
        read(mask_.array());
        return **positions_;
      }
    }
    const auto elements = evaluate(mask_);
    elements.wait(schedule::Purpose::read);
    read(elements);
    return **positions_;
  }

  Mask mask_;
  int source_axis_;
  std::shared_ptr<std::optional<plan::MaskPositions>> positions_ =
      make_shared_object<std::optional<plan::MaskPositions>>();  // found by the thread that makes the expression
};

template <class Node>
using PickOf = std::conditional_t<std::same_as<typename Node::value_type, bool>, MaskPick<Node>, IndexPick<Node>>;

/// What picks, held in memory, for axes `At` and those behind it of memory of this shape and these strides.
template <int At, class... Picks>
class HeldPicks {
  static constexpr std::size_t count = sizeof...(Picks);

 public:
  /// On the host. Throws PlaceError, and IndexError for an index out of range.
  HeldPicks(const std::tuple<Picks...>& picks, std::span<const std::ptrdiff_t> extents,
            std::span<const std::ptrdiff_t> strides) {
    hold_all(picks, extents, strides, [](const auto& pick, auto& owner) { return pick.hold(owner); });
    for (const plan::Picker& picker : pickers_) plan::check_picker(picker);
  }
  /// At the place of a GPU at which all of them are, where nobody has looked at them.
  HeldPicks(const std::tuple<Picks...>& picks, std::span<const std::ptrdiff_t> extents,
            std::span<const std::ptrdiff_t> strides, Place place) {
    hold_all(picks, extents, strides, [&](const auto& pick, auto& owner) { return pick.hold_at(place, owner); });
  }

  static bool are_at(const std::tuple<Picks...>& picks, Place place) {
    return std::apply([&](const auto&... pick) { return (pick.is_at(place) && ...); }, picks);
  }

  std::span<const plan::Picker> pickers() const { return pickers_; }
  std::array<std::shared_ptr<const void>, count>& owners() { return owners_; }

 private:
  void hold_all(const std::tuple<Picks...>& picks, std::span<const std::ptrdiff_t> extents,
                std::span<const std::ptrdiff_t> strides, const auto& hold_one) {
    std::size_t axis = At;
    std::size_t k = 0;
    const auto hold = [&](const auto& pick) {
      plan::Picker& picker = pickers_[k];
      picker = hold_one(pick, owners_[k++]);
      for (int along = 0; along < picker.axes; ++along, ++axis) {
        picker.extents[static_cast<std::size_t>(along)] = extents[axis];
        picker.steps[static_cast<std::size_t>(along)] = strides[axis];
      }
    };
    std::apply([&](const auto&... each) { (hold(each), ...); }, picks);
  }

  std::array<plan::Picker, count> pickers_;
  std::array<std::shared_ptr<const void>, count> owners_;
};

/// use(memory, pickers) of the elements of a node and of what picks along axis At and those behind it, if all of that is on the GPU of the evaluation;
/// `otherwise` if not.
template <int At, Element Stored, class Node, class... Picks, class Use, class Result>
Result with_picks_of_gpu(const Node& node, const std::tuple<Picks...>& picks, Place place, const Use& use,
                         Result otherwise) {
  if constexpr (!std::same_as<typename Node::place_type, CpuPlace>) {
    if (!place.on_host() && HeldPicks<At, Picks...>::are_at(picks, place)) {
      const Dim<Node::rank> from = node.shape();
      const auto elements = materialise<Stored>(node, place);
      const HeldPicks<At, Picks...> held(picks, from.extents(), elements.strides, place);
      const plan::PickedMemory memory{
          {.data = elements.data, .shape = from.extents(), .strides = elements.strides, .item = sizeof(Stored)}, At};
      return use(memory, held.pickers());
    }
  }
  return otherwise;
}

/// Gathers such elements for an evaluation, if the GPU finds no index outside; `shape` is the result's. Returns the number of the leaf; -1 leaves the work, and
/// what to say of a wrong index, to the host.
template <int At, Element Stored, class Node, class... Picks>
int gathered_by_gpu(plan::Lowering& lowering, const Node& node, const std::tuple<Picks...>& picks,
                    std::span<const std::ptrdiff_t> shape) {
  const auto gather = [&](const plan::PickedMemory& memory, std::span<const plan::Picker> pickers) {
    return plan::gather_picked(lowering, memory, pickers, shape);
  };
  return with_picks_of_gpu<At, Stored>(node, picks, lowering.place(), gather, -1);
}

/// Writes them to memory that overlaps with nothing that is read. False, and nothing is written, where the host has to do it.
template <int At, Element Stored, class Node, class... Picks>
bool is_gathered_by_gpu(const storage::StridedMemory& to, Place place, const Node& node,
                        const std::tuple<Picks...>& picks, std::span<const std::ptrdiff_t> shape) {
  const auto gather = [&](const plan::PickedMemory& memory, std::span<const plan::Picker> pickers) {
    return plan::gather_picked_to(to, place, memory, pickers, shape);
  };
  return with_picks_of_gpu<At, Stored>(node, picks, place, gather, false);
}

/// The shape to which what picks broadcasts. Throws ShapeError.
template <int Rank, class... Picks>
Dim<Rank> shape_of_picks(const std::tuple<Picks...>& picks) {
  std::array<std::ptrdiff_t, static_cast<std::size_t>(Rank)> extents;
  extents.fill(1);
  std::apply(
      [&](const auto&... each) {
        const auto shapes = std::tuple{each.shape()...};
        std::apply(
            [&](const auto&... shape) {
              const std::array<std::span<const std::ptrdiff_t>, sizeof...(shape)> spans{shape.extents()...};
              plan::broadcast_into(extents, spans, "indexing");
            },
            shapes);
      },
      picks);
  return dim_of<Rank>(extents);
}

}  // namespace tessera
