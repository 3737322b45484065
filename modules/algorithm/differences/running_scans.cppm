module;
#include <cstddef>
export module tessera.algorithm:running_scans;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import :rows;
import :scan;
import :running;
import :host_elements;

// Running extreme values and sums of exponentials along an axis; and all scans backwards, exclusive, or with what they start from.
namespace tessera {

/// How a scan goes: cumulative_sum(x, {.reverse = true}).
export struct ScanOptions {
  bool include_initial = false;  ///< the value of nothing comes first, so that there is one more than elements
  bool exclusive = false;        ///< each element's result is that of those before it
  bool reverse = false;          ///< from the last element to the first
};

template <class O>
concept RunningOperand = rows::KnownOperand<O> && OrderedOperand<O>;

/// Writes a scan of the last axis.
template <class A, class B>
void run_into(scanning::Running operation, const A& to, const B& from, const rows::Argument& argument) {
  rows::require_on_host(from.place(), argument);
  from.wait(schedule::Purpose::read);
  to.wait(schedule::Purpose::change);
  scanning::run_along_rows({.dtype = dtype_of<value_of<B>>,
                            .shape = to.shape().extents(),
                            .axis = B::rank - 1,
                            .from = rows::memory_of(from),
                            .to = rows::memory_of(to)},
                           operation);
}

/// Throws std::invalid_argument for options that exclude each other.
void check_options(const ScanOptions& options, const rows::Argument& argument);

/// A scan along `axis` of elements of type T, whose value of nothing is `initial`; scan(to, from) writes one along the last axis.
template <class T, class O, class Scan>
auto scanned_with(const O& x, std::ptrdiff_t axis, const ScanOptions& options, T initial,
                  const rows::Argument& argument, const Scan& scan) {
  check_options(options, argument);
  const int at = storage::checked_axis(axis, rank_of<O>, argument.operation);
  const auto values = rows::elements_of(x);
  const std::ptrdiff_t extent = values.shape()[at];
  using Result = Array<T, rank_of<O>, rows::result_place<O>>;
  Result result(values.shape().with(at, extent + (options.include_initial ? 1 : 0)), values.place());
  const auto from = moveaxis(values, at, -1);
  auto to = moveaxis(result, at, -1);
  const auto run = [&](auto target, const auto& source) {
    const std::ptrdiff_t room = target.shape()[rank_of<O> - 1];
    const bool starts = options.exclusive || options.include_initial;
    if (starts && room > 0) target(ellipsis, range(0, 1)) = initial;
    if (!starts) return scan(target, source);
    scan(target(ellipsis, range(1, none)), source(ellipsis, range(0, options.exclusive ? room - 1 : room)));
  };
  if (options.reverse) {
    run(flip<-1>(to), flip<-1>(from));
  } else {
    run(to, from);
  }
  return result;
}

template <class O, int... Axis>
inline constexpr int scanned_axis = (rows::axis_of<rank_of<O>, Axis> + ... + 0);

/// The extreme value that every other one replaces.
template <class T, bool IsMax>
constexpr T least_extreme() {
  if constexpr (Floating<T>) {
    const float infinity = std::numeric_limits<float>::infinity();
    return static_cast<T>(IsMax ? -infinity : infinity);
  } else {
    return IsMax ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  }
}

template <class O>
auto running(scanning::Running operation, const O& x, std::ptrdiff_t axis, const ScanOptions& options,
             const rows::Argument& argument) {
  using T = value_of<O>;
  const T initial = operation == scanning::Running::min ? least_extreme<T, false>() : least_extreme<T, true>();
  return scanned_with<T>(x, axis, options, initial, argument,
                         [&](const auto& to, const auto& from) { run_into(operation, to, from, argument); });
}

/// The largest of the elements up to each one along an axis, which a vector need not name, in a new array; NaN from the first NaN on. Of nothing it
/// is minus infinity, or the smallest number of the type. On the host only. Throws std::invalid_argument for options that exclude each other,
/// PlaceError, OutOfMemory.
export template <int... Axis, class O>
  requires ScannableOperand<O, Axis...> && RunningOperand<O>
auto cumulative_max(const O& x, ScanOptions options = {},
                    std::source_location where = std::source_location::current()) {
  return running(scanning::Running::max, x, scanned_axis<O, Axis...>, options, {"cumulative_max", "x", where});
}
/// The smallest of the elements up to each one; as cumulative_max(). Of nothing it is infinity, or the largest number of the type.
export template <int... Axis, class O>
  requires ScannableOperand<O, Axis...> && RunningOperand<O>
auto cumulative_min(const O& x, ScanOptions options = {},
                    std::source_location where = std::source_location::current()) {
  return running(scanning::Running::min, x, scanned_axis<O, Axis...>, options, {"cumulative_min", "x", where});
}
/// log(sum(e^x)) of the elements up to each one along an axis, without overflow; otherwise as cumulative_max().
export template <int... Axis, class O>
  requires ScannableOperand<O, Axis...> && RunningOperand<O> && FloatingOperand<O>
auto cumulative_logsumexp(const O& x, ScanOptions options = {},
                          std::source_location where = std::source_location::current()) {
  return running(scanning::Running::logsumexp, x, scanned_axis<O, Axis...>, options,
                 {"cumulative_logsumexp", "x", where});
}

/// Along an axis that is known at run time; negative ones count from the end. Throws IndexError out of range, and as above.
export template <class O, std::integral I>
  requires ScannableOperand<O, -1> && RunningOperand<O> && (!std::same_as<I, bool>)
auto cumulative_max(const O& x, I axis, ScanOptions options = {},
                    std::source_location where = std::source_location::current()) {
  return running(scanning::Running::max, x, Position(axis).value, options, {"cumulative_max", "x", where});
}
export template <class O, std::integral I>
  requires ScannableOperand<O, -1> && RunningOperand<O> && (!std::same_as<I, bool>)
auto cumulative_min(const O& x, I axis, ScanOptions options = {},
                    std::source_location where = std::source_location::current()) {
  return running(scanning::Running::min, x, Position(axis).value, options, {"cumulative_min", "x", where});
}
export template <class O, std::integral I>
  requires ScannableOperand<O, -1> && RunningOperand<O> && FloatingOperand<O> && (!std::same_as<I, bool>)
auto cumulative_logsumexp(const O& x, I axis, ScanOptions options = {},
                          std::source_location where = std::source_location::current()) {
  return running(scanning::Running::logsumexp, x, Position(axis).value, options, {"cumulative_logsumexp", "x", where});
}

/// Running sums backwards, exclusive, or with the 0 that they start from: as cumulative_sum() of an operand in that order. Throws
/// std::invalid_argument for options that exclude each other, and as cumulative_sum().
export template <int... Axis, class O>
  requires ScannableOperand<O, Axis...>
auto cumulative_sum(const O& x, ScanOptions options, std::source_location where = std::source_location::current()) {
  using T = scanned_t<value_of<O>>;
  return scanned_with<T>(x, scanned_axis<O, Axis...>, options, T(0), {"cumulative_sum", "x", where},
                         [&](const auto& to, const auto& from) { cumulative_sum_into<-1>(to, from, where); });
}
/// Running products; as above, starting from 1.
export template <int... Axis, class O>
  requires ScannableOperand<O, Axis...>
auto cumulative_prod(const O& x, ScanOptions options, std::source_location where = std::source_location::current()) {
  using T = scanned_t<value_of<O>>;
  return scanned_with<T>(x, scanned_axis<O, Axis...>, options, T(1), {"cumulative_prod", "x", where},
                         [&](const auto& to, const auto& from) { cumulative_prod_into<-1>(to, from, where); });
}
export template <class O, std::integral I>
  requires ScannableOperand<O, -1> && (!std::same_as<I, bool>)
auto cumulative_sum(const O& x, I axis, ScanOptions options,
                    std::source_location where = std::source_location::current()) {
  using T = scanned_t<value_of<O>>;
  return scanned_with<T>(x, Position(axis).value, options, T(0), {"cumulative_sum", "x", where},
                         [&](const auto& to, const auto& from) { cumulative_sum_into<-1>(to, from, where); });
}
export template <class O, std::integral I>
  requires ScannableOperand<O, -1> && (!std::same_as<I, bool>)
auto cumulative_prod(const O& x, I axis, ScanOptions options,
                     std::source_location where = std::source_location::current()) {
  using T = scanned_t<value_of<O>>;
  return scanned_with<T>(x, Position(axis).value, options, T(1), {"cumulative_prod", "x", where},
                         [&](const auto& to, const auto& from) { cumulative_prod_into<-1>(to, from, where); });
}

}  // namespace tessera
