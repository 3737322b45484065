module;
#include <algorithm>
#include <array>
#include <bit>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// The order of contractions by cost, and each contraction as sums, elementwise products or matrix products.
namespace tessera::contraction {

namespace {

struct Axis {
  unsigned char label;
  std::ptrdiff_t extent, stride;
};

/// Elements with labelled axes, in memory that `owner` keeps; null for the user's own.
template <class T>
struct Tensor {
  std::vector<Axis> axes;
  Place place;
  const T* data = nullptr;
  std::shared_ptr<const memory::Allocation> owner;

  const Axis* find(unsigned char label) const {
    const auto at = std::ranges::find(axes, label, &Axis::label);
    return at == axes.end() ? nullptr : &*at;
  }
  bool has(unsigned char label) const { return find(label) != nullptr; }
};

using Extents = std::array<std::ptrdiff_t, 256>;  // of each label

/// Axes with one label are its diagonal, and axes of one element that others broadcast are none.
template <class T>
Tensor<T> tensor_of(const Labels& labels, const Operand& operand, const Extents& extents) {
  Tensor<T> tensor;
  tensor.place = operand.place.on_host() ? Place(CpuPlace{}) : operand.place;
  tensor.data = static_cast<const T*>(operand.data);
  for (int k = 0; k < labels.count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const auto same = std::ranges::find(tensor.axes, labels[k], &Axis::label);
    if (same != tensor.axes.end()) {
      same->stride += operand.strides[at];
    } else if (operand.extents[at] == extents[labels[k]]) {
      tensor.axes.push_back({labels[k], operand.extents[at], operand.strides[at]});
    }
  }
  return tensor;
}

/// The axes with these labels, in this order.
template <class T>
std::vector<Axis> pick(const Tensor<T>& tensor, const std::vector<unsigned char>& labels) {
  std::vector<Axis> axes;
  for (const unsigned char label : labels) axes.push_back(*tensor.find(label));
  return axes;
}

std::ptrdiff_t count_of(const std::vector<Axis>& axes) {
  std::ptrdiff_t count = 1;
  for (const Axis& axis : axes) count = core::checked_multiply(count, axis.extent);
  return count;
}

/// One axis for several whose memory continues; no value where it does not.
std::optional<std::ptrdiff_t> merged_stride(const std::vector<Axis>& axes) {
  std::optional<std::ptrdiff_t> stride;
  std::ptrdiff_t step = 0;
  for (std::size_t k = axes.size(); k-- > 0;) {
    if (axes[k].extent == 1) continue;
    if (stride && axes[k].stride != step) return std::nullopt;
    if (!stride) stride = axes[k].stride;
    step = axes[k].stride * axes[k].extent;
  }
  return stride.value_or(0);
}

template <class T>
std::pair<T*, std::shared_ptr<const memory::Allocation>> make_memory(std::ptrdiff_t count, Place place) {
  auto owner = std::make_shared<const memory::Allocation>(
      place, std::max<std::ptrdiff_t>(core::checked_multiply(count, static_cast<std::ptrdiff_t>(sizeof(T))), 1));
  T* const data = static_cast<T*>(owner->data());
  return {data, std::move(owner)};
}

/// Copies the axes, which are all of the tensor's, in their order to contiguous memory.
template <class T>
void copy_to(const Tensor<T>& from, const std::vector<Axis>& axes, T* to) {
  std::vector<std::ptrdiff_t> extents, strides, packed(axes.size());
  for (const Axis& axis : axes) {
    extents.push_back(axis.extent);
    strides.push_back(axis.stride);
  }
  std::ptrdiff_t step = 1;
  for (std::size_t k = axes.size(); k-- > 0; step *= extents[k]) packed[k] = step;
  storage::copy_strided(extents, {{to, packed, sizeof(T)}, from.place},
                        {{const_cast<T*>(from.data), strides, sizeof(T)}, from.place});
}

/// The tensor with its axes in this order in contiguous memory.
template <class T>
Tensor<T> packed(const Tensor<T>& from, const std::vector<unsigned char>& order) {
  Tensor<T> result;
  result.axes = pick(from, order);
  result.place = from.place;
  auto [data, owner] = make_memory<T>(count_of(result.axes), from.place);
  copy_to(from, result.axes, data);
  std::ptrdiff_t step = 1;
  for (std::size_t k = result.axes.size(); k-- > 0; step *= result.axes[k].extent) result.axes[k].stride = step;
  result.data = data;
  result.owner = std::move(owner);
  return result;
}

std::vector<unsigned char> joined(std::initializer_list<const std::vector<unsigned char>*> groups) {
  std::vector<unsigned char> all;
  for (const auto* group : groups) all.insert(all.end(), group->begin(), group->end());
  return all;
}

template <class T, int Rank>
ArrayView<const T, Rank, Place> view_of(const T* data, const Dim<Rank>& shape, const Strides<Rank>& strides,
                                        Place place) {
  return ArrayView<const T, Rank, Place>(data, {.shape = shape, .strides = strides}, place);
}
template <class T, int Rank>
ArrayView<T, Rank, Place> target_of(T* data, const Dim<Rank>& shape, Place place) {
  return ArrayView<T, Rank, Place>(data, {.shape = shape, .strides = storage::contiguous_strides(shape)}, place);
}

/// The tensor summed over the axes without `kept`, in whose order the others are.
template <class T>
Tensor<T> summed(const Tensor<T>& from, const std::vector<unsigned char>& kept) {
  std::vector<unsigned char> rest;
  for (const Axis& axis : from.axes) {
    if (std::ranges::find(kept, axis.label) == kept.end()) rest.push_back(axis.label);
  }
  if (rest.empty()) return from;
  const auto outer = merged_stride(pick(from, kept)), inner = merged_stride(pick(from, rest));
  if (!outer || !inner) return summed(packed(from, joined({&kept, &rest})), kept);
  Tensor<T> result;
  result.axes = pick(from, kept);
  result.place = from.place;
  const std::ptrdiff_t count = count_of(result.axes), length = count_of(pick(from, rest));
  auto [data, owner] = make_memory<T>(count, from.place);
  assign(target_of(data, Dim{count}, from.place),
         cast<T>(sum<1>(view_of<T, 2>(from.data, Dim{count, length}, {*outer, *inner}, from.place))));
  std::ptrdiff_t step = 1;
  for (std::size_t k = result.axes.size(); k-- > 0; step *= result.axes[k].extent) result.axes[k].stride = step;
  result.data = data;
  result.owner = std::move(owner);
  return result;
}

/// Labels of a contraction of two tensors.
struct Groups {
  std::vector<unsigned char> batch, left, right, inner;  // in both and kept; in one of them; in both and summed
};

/// A factor as a batch of matrices: three strides, in memory that may be a copy.
template <class T>
struct Matrices {
  Tensor<T> tensor;
  std::ptrdiff_t batch, row, column;
};

template <class T>
Matrices<T> matrices_of(const Tensor<T>& from, const std::vector<unsigned char>& batch,
                        const std::vector<unsigned char>& rows, const std::vector<unsigned char>& columns) {
  const auto at_batch = merged_stride(pick(from, batch)), at_row = merged_stride(pick(from, rows)),
             at_column = merged_stride(pick(from, columns));
  if (at_batch && at_row && at_column) return {from, *at_batch, *at_row, *at_column};
  const Tensor<T> copy = packed(from, joined({&batch, &rows, &columns}));
  return {copy, *merged_stride(pick(copy, batch)), *merged_stride(pick(copy, rows)),
          *merged_stride(pick(copy, columns))};
}

/// Labels of `of` that pass a test, in the order of its axes.
template <class T, class Test>
std::vector<unsigned char> labels_where(const Tensor<T>& of, const Test& test) {
  std::vector<unsigned char> labels;
  for (const Axis& axis : of.axes) {
    if (test(axis.label)) labels.push_back(axis.label);
  }
  return labels;
}

/// The order in which the summed axes of a lie continues in b as well, if there is one of the two that does.
template <class T>
std::vector<unsigned char> inner_order(const Tensor<T>& a, const Tensor<T>& b, const std::vector<unsigned char>& by_a) {
  std::vector<unsigned char> by_b =
      labels_where(b, [&](unsigned char label) { return std::ranges::find(by_a, label) != by_a.end(); });
  return !merged_stride(pick(b, by_a)) && merged_stride(pick(a, by_b)) ? by_b : by_a;
}

/// Where the last contraction may write: contiguous memory for axes in this order; null otherwise.
template <class T>
struct Destination {
  T* data = nullptr;
  std::vector<unsigned char> order;

  bool takes(const std::vector<Axis>& axes) const {
    return data != nullptr && std::ranges::equal(axes, order, {}, &Axis::label);
  }
};

/// The product of two tensors summed over all labels without `kept`.
template <class T>
Tensor<T> contracted(Tensor<T> a, Tensor<T> b, const std::vector<bool>& kept, const Destination<T>& destination) {
  const auto is_kept = [&](unsigned char label) { return static_cast<bool>(kept[label]); };
  // What only one of them has and nobody asks for is summed first.
  a = summed(a, labels_where(a, [&](unsigned char label) { return is_kept(label) || b.has(label); }));
  b = summed(b, labels_where(b, [&](unsigned char label) { return is_kept(label) || a.has(label); }));
  Groups groups;
  groups.batch = labels_where(a, [&](unsigned char label) { return b.has(label) && is_kept(label); });
  groups.left = labels_where(a, [&](unsigned char label) { return !b.has(label); });
  groups.right = labels_where(b, [&](unsigned char label) { return !a.has(label); });
  groups.inner =
      inner_order(a, b, labels_where(a, [&](unsigned char label) { return b.has(label) && !is_kept(label); }));
  const Matrices<T> left = matrices_of(a, groups.batch, groups.left, groups.inner);
  const Matrices<T> right = matrices_of(b, groups.batch, groups.inner, groups.right);
  const Place place = a.place;
  Tensor<T> result;
  result.place = place;
  result.axes = pick(a, joined({&groups.batch, &groups.left}));
  for (const Axis& axis : pick(b, groups.right)) result.axes.push_back(axis);
  const std::ptrdiff_t batch = count_of(pick(a, groups.batch)), rows = count_of(pick(a, groups.left)),
                       inner = count_of(pick(a, groups.inner)), columns = count_of(pick(b, groups.right));
  T* data = destination.data;
  if (!destination.takes(result.axes)) std::tie(data, result.owner) = make_memory<T>(count_of(result.axes), place);
  const auto factor_a =
      view_of<T, 3>(left.tensor.data, Dim{batch, rows, inner}, {left.batch, left.row, left.column}, place);
  const auto factor_b =
      view_of<T, 3>(right.tensor.data, Dim{batch, inner, columns}, {right.batch, right.row, right.column}, place);
  const auto to = target_of(data, Dim{batch, rows, columns}, place);
  if (inner == 1) {  // nothing is summed: elements times elements
    assign(to, factor_a * factor_b);
  } else if (rows == 1 && columns == 1) {
    assign(to(all, 0, 0), cast<T>(sum<1>(factor_a(all, 0, all) * factor_b(all, all, 0))));
  } else if (batch == 1) {
    assign(to(0, ellipsis), dot(factor_a(0, ellipsis), factor_b(0, ellipsis)));
  } else {
    assign(to, matmul(factor_a, factor_b));
  }
  std::ptrdiff_t step = 1;
  for (std::size_t k = result.axes.size(); k-- > 0; step *= result.axes[k].extent) result.axes[k].stride = step;
  result.data = data;
  return result;
}

/// The cheapest order in which pairs of the operands are contracted: for each set of operands, bit by bit, the part that is contracted with the rest last.
class Order {
 public:
  Order(const Subscripts& subscripts, const Extents& extents) : extents_(extents) {
    const auto count = static_cast<std::size_t>(subscripts.operands);
    for (int k = 0; k < subscripts.out.count; ++k) out_[subscripts.out[k]] = true;
    in_.resize(count);
    for (std::size_t number = 0; number < count; ++number) {
      in_[number].resize(256);
      const Labels& labels = subscripts.in[number];
      for (int k = 0; k < labels.count; ++k) in_[number][labels[k]] = true;
    }
    const std::size_t sets = std::size_t{1} << count;
    cost_.resize(sets);
    left_.resize(sets);
    for (std::size_t set = 1; set < sets; ++set) {
      if (std::has_single_bit(set)) continue;
      cost_[set] = std::numeric_limits<double>::infinity();
      for (std::size_t part = (set - 1) & set; part > 0; part = (part - 1) & set) {
        if (part < (set & ~part)) continue;  // each pair once
        const double cost = cost_[part] + cost_[set & ~part] + work(part, set & ~part);
        if (cost >= cost_[set]) continue;
        cost_[set] = cost;
        left_[set] = part;
      }
    }
  }

  std::size_t left(std::size_t set) const { return left_[set]; }

  /// Labels that the contraction of a set still has: those of the result and of other operands.
  std::vector<bool> kept(std::size_t set) const {
    std::vector<bool> labels = out_;
    for (std::size_t number = 0; number < in_.size(); ++number) {
      if ((set >> number & 1) != 0) continue;
      for (std::size_t label = 0; label < 256; ++label) labels[label] = labels[label] || in_[number][label];
    }
    return labels;
  }

 private:
  /// Multiplications of contracting two sets.
  double work(std::size_t a, std::size_t b) const {
    const std::vector<bool> kept_a = kept(a), kept_b = kept(b);
    double count = 1;
    for (std::size_t label = 0; label < 256; ++label) {
      if ((has(a, label) && kept_a[label]) || (has(b, label) && kept_b[label]))
        count *= static_cast<double>(std::max<std::ptrdiff_t>(extents_[label], 1));
    }
    return count;
  }
  bool has(std::size_t set, std::size_t label) const {
    for (std::size_t number = 0; number < in_.size(); ++number) {
      if ((set >> number & 1) != 0 && in_[number][label]) return true;
    }
    return false;
  }

  const Extents& extents_;
  std::vector<bool> out_ = std::vector<bool>(256);
  std::vector<std::vector<bool>> in_;
  std::vector<double> cost_;
  std::vector<std::size_t> left_;
};

template <class T>
Tensor<T> contract_set(std::size_t set, const std::vector<Tensor<T>>& tensors, const Order& order,
                       const Destination<T>& destination) {
  if (std::has_single_bit(set)) return tensors[static_cast<std::size_t>(std::countr_zero(set))];
  const std::size_t part = order.left(set), rest = set & ~part;
  const Tensor<T> a = contract_set(part, tensors, order, {}), b = contract_set(rest, tensors, order, {});
  // Of two orders of the factors the one that gives the axes as they are asked for.
  const bool swaps =
      !destination.order.empty() && !a.has(destination.order.front()) && b.has(destination.order.front());
  return swaps ? contracted(b, a, order.kept(set), destination) : contracted(a, b, order.kept(set), destination);
}

Extents extents_of(const Subscripts& subscripts, std::span<const Operand> operands) {
  Extents extents;
  extents.fill(1);
  for (std::size_t number = 0; number < operands.size(); ++number) {
    const Labels& labels = subscripts.in[number];
    for (int k = 0; k < labels.count; ++k) {
      const std::ptrdiff_t extent = operands[number].extents[static_cast<std::size_t>(k)];
      if (extent != 1) extents[labels[k]] = extent;
    }
  }
  return extents;
}

template <class T>
void contract_as(const Subscripts& subscripts, std::span<const Operand> operands, T* result) {
  const Extents extents = extents_of(subscripts, operands);
  std::vector<Tensor<T>> tensors;
  for (std::size_t number = 0; number < operands.size(); ++number)
    tensors.push_back(tensor_of<T>(subscripts.in[number], operands[number], extents));
  const Order order(subscripts, extents);
  std::vector<unsigned char> out;  // labels that broadcast and whose extent is 1 have gone
  for (int k = 0; k < subscripts.out.count; ++k) {
    const unsigned char label = subscripts.out[k];
    if (std::ranges::any_of(tensors, [&](const Tensor<T>& tensor) { return tensor.has(label); })) out.push_back(label);
  }
  const std::size_t all_operands = (std::size_t{1} << operands.size()) - 1;
  const Tensor<T> found = summed(contract_set(all_operands, tensors, order, {result, out}), out);
  if (found.data != result) copy_to(found, pick(found, out), result);
  // The memory between goes when this returns.
  const Place place = operands.front().place;
  if (!place.on_host()) device::Stream::current(GpuPlace{place.ordinal()}).mark().wait();
}

std::string name_of(unsigned char label) {
  return label >= 128 ? "an axis of the ellipsis" : "'" + std::string(1, static_cast<char>(label)) + "'";
}

}  // namespace

Place place_of(std::string_view text, std::span<const Operand> operands, const std::source_location& where) {
  const Place place = operands.front().place;
  for (const Operand& operand : operands) {
    if (operand.place == place || (operand.place.on_host() && place.on_host())) continue;
    throw PlaceError(to_string(
        Failure{.operation = "einsum \"" + std::string(text) + "\"",
                .problem = "an operand is on " + to_string(operand.place) + ", another one on " + to_string(place),
                .advice = "all operands of an expression live on one place; move with to(place)",
                .where = where}));
  }
  return place.on_host() ? Place(CpuPlace{}) : place;
}

std::array<std::ptrdiff_t, most_labels> result_extents(std::string_view text, const Subscripts& subscripts,
                                                       std::span<const Operand> operands,
                                                       const std::source_location& where) {
  Extents extents;
  extents.fill(-1);
  for (std::size_t number = 0; number < operands.size(); ++number) {
    const Labels& labels = subscripts.in[number];
    for (int k = 0; k < labels.count; ++k) {
      const std::ptrdiff_t extent = operands[number].extents[static_cast<std::size_t>(k)];
      std::ptrdiff_t& known = extents[labels[k]];
      if (known == -1 || known == 1) known = extent;
      if (extent == known || extent == 1) continue;
      throw ShapeError(to_string(Failure{.operation = "einsum \"" + std::string(text) + "\"",
                                         .problem = name_of(labels[k]) + " has " + std::to_string(known) +
                                                    " elements and, in operand " + std::to_string(number) + ", " +
                                                    std::to_string(extent),
                                         .where = where}));
    }
  }
  std::array<std::ptrdiff_t, most_labels> result{};
  for (int k = 0; k < subscripts.out.count; ++k)
    result[static_cast<std::size_t>(k)] = std::max<std::ptrdiff_t>(extents[subscripts.out[k]], 0);
  return result;
}

void contract(DType dtype, const Subscripts& subscripts, std::span<const Operand> operands, void* result) {
  switch (dtype) {
    case DType::float32: return contract_as(subscripts, operands, static_cast<float*>(result));
    case DType::float64: return contract_as(subscripts, operands, static_cast<double*>(result));
    case DType::complex64: return contract_as(subscripts, operands, static_cast<std::complex<float>*>(result));
    case DType::complex128: return contract_as(subscripts, operands, static_cast<std::complex<double>*>(result));
    default: return contract_as(subscripts, operands, static_cast<std::int64_t*>(result));
  }
}

void throw_wrong_subscripts(std::string_view text, const Subscripts& subscripts, const std::source_location& where) {
  throw ShapeError(
      to_string(Failure{.operation = "einsum \"" + std::string(text) + "\"",
                        .problem = "at character " + std::to_string(subscripts.position) + ": " + subscripts.problem,
                        .where = where}));
}

}  // namespace tessera::contraction
