module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Dynamic arrays: what does not depend on the type of the elements.
namespace tessera {

namespace {

[[noreturn]] void throw_read_only(const char* operation, const dynamic::Which& which) {
  throw DTypeError(
      to_string(Failure{.operation = operation,
                        .problem = "the array is read only: its elements are const " + std::string(name(which.dtype)),
                        .advice = "write to a copy: x.clone()"}));
}

/// The conversion between integer types kept the number.
bool is_same_number(const DValue& value, const DValue& converted) {
  const auto is_negative = [](const DValue& x) {
    return kind(x.dtype()) == Kind::signed_integer && x.cast(DType::int64).as<std::int64_t>() < 0;
  };
  return is_negative(value) == is_negative(converted) && converted.cast(value.dtype()) == value;
}

/// The scalar as an expression of rank 0, in the type that it has beside elements of `dtype`. Throws DTypeError if it has none.
DValue beside(const dynamic::ScalarOperand& scalar, DType dtype, const char* operation) {
  const DValue& value = scalar.value;
  using core::is_integer;
  const bool takes = !scalar.is_weak                   ? assignable(value.dtype(), dtype)
                     : value.dtype() == DType::boolean ? dtype == DType::boolean
                     : is_integer(value.dtype())       ? dtype != DType::boolean
                                                       : kind(dtype) == Kind::floating || kind(dtype) == Kind::complex;
  const DValue converted = value.cast(dtype);
  const bool fits = !is_integer(value.dtype()) || !is_integer(dtype) || is_same_number(value, converted);
  if (takes && fits) return converted;
  throw DTypeError(to_string(Failure{
      .operation = operation,
      .problem = "the scalar " + to_string(value) + " (" + std::string(name(value.dtype())) + ") does not become " +
                 std::string(name(dtype)) + (takes ? ", which is too narrow" : " by itself"),
      .advice = "convert the array: x.cast(dtype)"}));
}

/// A value on the host as an array of rank 0.
dynamic::Leaf leaf_of(const DValue& value, Place place) {
  const DArray array(DDim(), value.dtype(), place);
  if (place.on_host()) {
    std::memcpy(array.data(), value.data(), static_cast<std::size_t>(item_size(value.dtype())));
  } else {
    array.element({}) = value;
  }
  return array.leaf();
}

}  // namespace

DValue DReference::get() const {
  return dynamic::with_element(which_.dtype, [&]<class T>() -> DValue {
    const storage::ViewMemory memory{element_, {}, {}, sizeof(T)};
    if (share_ != nullptr) share_->wait(schedule::Purpose::read, memory);
    return PlacedPointer<T>(reinterpret_cast<T*>(element_), place_).get();
  });
}

void DReference::put(const DValue& value) const {
  if (which_.is_read_only) throw_read_only("element access", which_);
  dynamic::with_element(which_.dtype, [&]<class T>() {
    const storage::ViewMemory memory{element_, {}, {}, sizeof(T)};
    if (share_ != nullptr) share_->wait(schedule::Purpose::change, memory);
    PlacedPointer<T>(reinterpret_cast<T*>(element_), place_).put(value.as<T>());
  });
}

const DReference& DReference::operator=(const DValue& value) const {
  put(beside({value, false}, which_.dtype, "element access"));
  return *this;
}

const DReference& DReference::put_weak(const DValue& value) const {
  put(beside({value, true}, which_.dtype, "element access"));
  return *this;
}

DArray::DArray(const DDim& shape, DType dtype, Place place) {
  const dynamic::DLayout layout = dynamic::row_major(shape.extents());
  const std::ptrdiff_t bytes = core::checked_multiply(product(shape), item_size(dtype));
  const auto share = storage::BufferShare::make(place, bytes);
  which_ = {dtype, static_cast<std::uint8_t>(shape.rank())};
  table().make(room_, share, share->data(), layout, place);
}

DArray::DArray(const storage::BufferShare& share, DType dtype, const dynamic::DLayout& layout, Place place,
               bool is_read_only)
    : which_{dtype, static_cast<std::uint8_t>(layout.rank), is_read_only} {
  const auto* const begin =
      share == nullptr ? nullptr : static_cast<const std::byte*>(share->data()) + layout.offset * item_size(dtype);
  table().make(room_, share, begin, layout, place);
}

DArray::DArray(const DExpression& expression) : DArray(expression.shape(), expression.dtype(), expression.place()) {
  dynamic::assign(destination(), expression, true);
}

std::ptrdiff_t DArray::size() const { return has_storage() ? product(shape()) : 0; }

dynamic::DLayout DArray::layout() const {
  const dynamic::Facts known = facts();
  dynamic::DLayout layout{.rank = rank()};
  std::copy_n(known.extents, layout.rank, layout.extents.begin());
  std::copy_n(known.strides, layout.rank, layout.strides.begin());
  return layout;
}

DReference DArray::element(std::span<const std::ptrdiff_t> index) const {
  if (!has_storage()) {
    throw IndexError(to_string(Failure{.operation = "element access", .problem = "the array has no storage"}));
  }
  const std::ptrdiff_t offset = dynamic::offset_of(layout(), index);
  return {buffer(), static_cast<std::byte*>(data()) + offset * item_size(dtype()), which_, place()};
}

DArray DArray::with_layout(const dynamic::DLayout& layout) const {
  const dynamic::Facts known = facts();
  DArray view;
  view.table().drop(view.room_);
  view.which_ = {which_.dtype, static_cast<std::uint8_t>(layout.rank), which_.is_read_only};
  view.table().make(view.room_, *known.share,
                    static_cast<const std::byte*>(known.data) + layout.offset * item_size(dtype()), layout,
                    known.place);
  return view;
}

DArray DArray::slice(std::span<const DIndexer> indexers) const {
  return with_layout(dynamic::sliced(layout(), indexers));
}

DArray DArray::T() const { return with_layout(dynamic::reversed(layout())); }

DArray DArray::transpose(std::span<const int> axes) const { return with_layout(dynamic::transposed(layout(), axes)); }

DArray DArray::broadcast_to(const DDim& shape) const {
  return with_layout(dynamic::broadcasted(layout(), shape)).as_read_only();
}

DArray DArray::reshape(std::span<const std::ptrdiff_t> shape) const {
  const DDim to = dynamic::inferred(shape, size(), layout().shape());
  if (const std::optional<dynamic::DLayout> view = dynamic::reshaped(layout(), to)) return with_layout(*view);
  return clone().with_layout(dynamic::row_major(to.extents()));
}

DArray DArray::to(Place place) const { return this->place() == place ? *this : copied_to(place); }

DArray DArray::copied_to(Place place) const {
  if (!has_storage()) return *this;
  const dynamic::Facts known = facts();
  const dynamic::DLayout from = layout();
  if (known.place.on_host()) {
    wait(schedule::Purpose::read);
  } else {
    buffer()->wait_for_ops(schedule::Purpose::read, leaf().memory());
  }
  DArray copy(shape(), dtype(), place);
  const dynamic::DLayout to = copy.layout();
  const std::ptrdiff_t item = item_size(dtype());
  storage::copy_strided(from.shape(), {{copy.data(), to.steps(), item}, place, copy.buffer()->uses()},
                        {{known.data, from.steps(), item}, known.place, buffer()->uses()});
  return copy;
}

DArray DArray::cast(DType dtype) const { return DArray(dynamic::cast(*this, dtype)); }

DArray DArray::as_read_only() const {
  DArray view(buffer(), dtype(), {}, place());
  const dynamic::DLayout mine = layout();
  view.table().drop(view.room_);
  view.which_ = {which_.dtype, which_.rank, true};
  view.table().make(view.room_, buffer(), data(), mine, place());
  return view;
}

dynamic::Leaf DArray::leaf() const {
  const dynamic::Facts known = facts();
  dynamic::Leaf leaf{
      .share = *known.share, .data = known.data, .dtype = which_.dtype, .place = known.place, .rank = which_.rank};
  std::copy_n(known.extents, leaf.rank, leaf.extents.begin());
  std::copy_n(known.strides, leaf.rank, leaf.strides.begin());
  return leaf;
}

DValue DArray::item() const {
  if (size() != 1) {
    throw ShapeError(
        to_string(Failure{.operation = "item",
                          .problem = "the array has " + std::to_string(size()) + " elements, one is a value",
                          .operands = {"the shape is " + to_string(shape())},
                          .advice = "index an element: x[{0, 0}]"}));
  }
  const std::array<std::ptrdiff_t, static_cast<std::size_t>(max_rank)> first{};
  return element(std::span(first).first(static_cast<std::size_t>(rank()))).get();
}

DValue DArray::value() const {
  if (rank() == 0) return item();
  throw ShapeError(
      to_string(Failure{.operation = "value",
                        .problem = "the array has the shape " + to_string(shape()) + ", what has no axis is a value",
                        .advice = "index an element, or write x.item() for the only one"}));
}

void DArray::wait(schedule::Purpose purpose) const {
  if (!storage::buffers_have_vars.load(std::memory_order_relaxed) || !has_storage()) return;
  const dynamic::Leaf mine = leaf();
  buffer()->wait(purpose, mine.memory());
}

dynamic::Destination DArray::destination() const {
  const dynamic::Facts known = facts();
  const auto count = static_cast<std::size_t>(rank());
  return {.share = known.share,
          .data = known.data,
          .dtype = dtype(),
          .place = known.place,
          .shape = {known.extents, count},
          .strides = {known.strides, count}};
}

void DArray::require_writable(const char* operation) const {
  if (is_read_only()) throw_read_only(operation, which_);
  if (has_storage()) return;
  throw ShapeError(
      to_string(Failure{.operation = operation,
                        .problem = "the array on the left has no storage",
                        .advice = "give it some: zeros(dtype, shape), or assign an expression to its name"}));
}

DArray& DArray::assign_name(const DExpression& expression, int holds) {
  if (!is_read_only() && has_storage()) {
    if (dynamic::fits_own_storage(destination(), expression, holds)) {
      dynamic::assign(destination(), expression, true);
      return *this;
    }
    dynamic::check_renaming(expression);
  }
  return *this = DArray(expression);
}

namespace {

constexpr std::size_t most_leaves = 12;

/// The leaves of a tree for which there is one loop.
struct FusedTree {
  std::array<const DArray*, most_leaves> arrays;
  std::array<dynamic::LeafView, most_leaves> views;
  std::array<const dynamic::ScalarOperand*, most_leaves> scalars;
  std::size_t count = 0;
  DType dtype = DType::float32, result = DType::float32;
  bool is_fused = false;

  /// Nothing is pending on the leaves if ops have not been made at all; otherwise the program knows what to wait for.
  FusedTree(const TreeForm& form, const void* tree) : count(form.leaves) {
    if (count > most_leaves || form.scalars > most_leaves || count == 0) return;
    if (storage::buffers_have_vars.load(std::memory_order_relaxed)) return;
    form.collect(tree, arrays.data(), scalars.data());
    dtype = arrays[0]->dtype();
    switch (dtype) {
      case DType::float32: compute_ = with_loop<&TreeForm::floats>(form, 0); break;
      case DType::float64: compute_ = with_loop<&TreeForm::doubles>(form, 1); break;
      case DType::int32: compute_ = with_loop<&TreeForm::integers>(form, 2); break;
      case DType::int64: compute_ = with_loop<&TreeForm::longs>(form, 3); break;
      default: break;
    }
    if (compute_ == nullptr) return;
    for (std::size_t k = 0; k < count; ++k) {
      if (arrays[k]->dtype() != dtype) return;
      const dynamic::Facts facts = dynamic::alternative(arrays[k]->which()).facts(arrays[k]->room());
      const auto rank = static_cast<std::size_t>(arrays[k]->rank());
      if (!facts.place.on_host() || *facts.share == nullptr) return;
      views[k] = {{facts.data, {facts.extents, rank}, {facts.strides, rank}, item_size(dtype)}, facts.place};
    }
    for (std::size_t k = 0; k < form.scalars; ++k) {
      if (!takes(*scalars[k])) return;
    }
    is_fused = true;
  }

  std::span<const dynamic::LeafView> leaves() const { return std::span(views).first(count); }

  /// All leaves have one shape.
  bool has_one_shape() const {
    return std::ranges::all_of(leaves().subspan(1), [&](const dynamic::LeafView& leaf) {
      return std::ranges::equal(leaf.shape, views[0].shape);
    });
  }

  void compute(const TreeForm& form, const dynamic::Destination& destination) const {
    struct Context {
      const FusedTree& tree;
      const dynamic::Destination& destination;
    };
    const Context context{*this, destination};
    const auto use = [](const void* in, dynamic::Kernel kernel, const void* nodes) {
      const auto& own = *static_cast<const Context*>(in);
      dynamic::evaluate(own.destination, own.tree.leaves(), kernel, nodes);
    };
    compute_(*this, form, &context, use);
  }

 private:
  using Use = void (*)(const void* context, dynamic::Kernel kernel, const void* nodes);
  using Compute = void (*)(const FusedTree& self, const TreeForm& form, const void* context, Use use);

  /// What calls the tree's loop for the type of a member of its form; null if it has none.
  template <auto Loop>
  Compute with_loop(const TreeForm& form, std::size_t at) {
    if (form.*Loop == nullptr) return nullptr;
    result = form.results[at];
    return [](const FusedTree& self, const TreeForm& of, const void* context, Use use) {
      [&]<class T>(WithLoop<T> loop) { loop(self.numbers<T>(of.scalars).data(), context, use); }(of.*Loop);
    };
  }

  /// The scalar is a number of the leaves' type, as it is.
  bool takes(const dynamic::ScalarOperand& scalar) const {
    if (!scalar.is_weak) return scalar.value.dtype() == dtype;
    if (scalar.value.dtype() == DType::boolean) return false;
    const bool is_floating = kind(dtype) == Kind::floating;
    return is_floating || (scalar.value.dtype() != DType::float64 && scalar.value.cast(dtype) == scalar.value);
  }

  template <class T>
  std::array<T, most_leaves> numbers(std::size_t scalar_count) const {
    std::array<T, most_leaves> all;
    for (std::size_t k = 0; k < scalar_count; ++k) {
      const DValue& value = scalars[k]->value;
      switch (value.dtype()) {
        case DType::int64: all[k] = static_cast<T>(value.as<std::int64_t>()); break;
        case DType::uint64: all[k] = static_cast<T>(value.as<std::uint64_t>()); break;
        case DType::float64: all[k] = static_cast<T>(value.as<double>()); break;
        default: all[k] = value.as<T>();
      }
    }
    return all;
  }

  Compute compute_ = nullptr;
};

/// The value of a tree can go into the storage of this name.
bool fits(const dynamic::Destination& destination, const FusedTree& tree, bool is_kept) {
  const storage::BufferShare& share = *destination.share;
  if (share == nullptr || !share->owns() || destination.dtype != tree.result ||
      destination.place != tree.views[0].place || !std::ranges::equal(destination.shape, tree.views[0].shape))
    return false;
  std::uint32_t names = 1;
  if (!is_kept) {
    for (std::size_t k = 0; k < tree.count; ++k) names += tree.arrays[k]->buffer() == share;
  }
  return share->names() == names && storage::has_distinct_elements(destination.shape, destination.strides);
}

}  // namespace

DArray& DArray::assign_tree(const TreeForm& form, const void* tree, bool is_kept) {
  const FusedTree fused(form, tree);
  if (!fused.is_fused || !fused.has_one_shape()) return assign_name(form.program(tree), is_kept ? 0 : 2);
  if (!is_read_only() && fits(destination(), fused, is_kept)) {
    fused.compute(form, destination());
    return *this;
  }
  DArray fresh(DDim(fused.views[0].shape), fused.result, fused.views[0].place);
  fused.compute(form, fresh.destination());
  return become(fresh);
}

void DArray::write_tree(const TreeForm& form, const void* tree) const {
  require_writable("assignment");
  const FusedTree fused(form, tree);
  if (!fused.is_fused || fused.result != dtype() || !fused.has_one_shape()) return write(form.program(tree));
  fused.compute(form, destination());
}

DArray& DArray::fill(const dynamic::ScalarOperand& scalar) {
  require_writable("assignment");
  const DExpression value(leaf_of(beside(scalar, dtype(), "assignment"), place()));
  if (buffer()->owns() && buffer()->names() == 1) {
    dynamic::assign(destination(), value, true);
    return *this;
  }
  dynamic::check_renaming(value);
  const DArray fresh(shape(), dtype(), place());
  dynamic::assign(fresh.destination(), value, true);
  return *this = fresh;
}

void DArray::write(const DExpression& source) const {
  require_writable("assignment");
  dynamic::assign(destination(), source);
}

void DArray::write(const dynamic::ScalarOperand& scalar) const {
  require_writable("assignment");
  dynamic::assign(destination(), DExpression(leaf_of(beside(scalar, dtype(), "assignment"), place())));
}

std::string to_string(const DArray& array) {
  if (!array.has_storage()) return "(no storage)";
  const DArray host = array.place().on_host() ? array : array.to(CpuPlace{});
  host.wait(schedule::Purpose::read);
  const dynamic::DLayout layout = host.layout();
  return storage::text_of_elements(host.data(), host.dtype(), layout.shape(), layout.steps());
}
std::ostream& operator<<(std::ostream& out, const DArray& array) { return out << to_string(array); }
std::ostream& operator<<(std::ostream& out, const DExpression& expression) {
  return out << to_string(DArray(expression));
}

}  // namespace tessera
