module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Scanning rows. A row is cut into blocks whose size is fixed, each scanned on its own and then moved by the total of those before it:
// results are the same whether one thread takes a row or many share it.
namespace tessera::scanning {

namespace {

constexpr std::ptrdiff_t block = 8192;
constexpr std::ptrdiff_t blocks_per_task = 8;
constexpr std::ptrdiff_t long_row = std::ptrdiff_t{1} << 18;  // elements from which threads share a row
constexpr int fewest_threads = 3;                             // that share a row, for which it is read twice
constexpr std::ptrdiff_t widest = 16;                         // rows that are scanned side by side

template <class T, bool IsProduct>
class Scan {
  using Traits = ScanOf<T, IsProduct>;
  using State = typename Traits::State;
  using Result = typename Traits::Result;

 public:
  Scan(const rows::Call& call, const rows::Tiling& tiling) : length_(tiling.length()), memory_(call, tiling) {}

  /// Rows side by side: their chains of additions run beside each other.
  void scan_tile(const rows::Tile& tile) const {
    State carried[widest];
    const auto states = static_cast<std::size_t>(tile.rows);
    for (std::ptrdiff_t begin = 0; begin < length_; begin += block)
      scan_blocks(tile, begin, std::min(length_, begin + block), std::span(carried, states));
  }

  /// One row, which the threads share.
  void scan_long_row(const rows::Tile& row, std::span<State> totals) const {
    rows::for_each_piece(std::ssize(totals), blocks_per_task, [&](std::ptrdiff_t first, std::ptrdiff_t last) {
      add_up_blocks(memory_.from + row.from, first,
                    totals.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(last - first)));
    });
    State before;
    for (State& total : totals) {
      const State own = total;
      total = before;
      before.merge(own);
    }
    rows::for_each_piece(std::ssize(totals), 1, [&](std::ptrdiff_t index, std::ptrdiff_t) {
      const std::ptrdiff_t begin = index * block;
      scan_blocks(row, begin, std::min(length_, begin + block), totals.subspan(static_cast<std::size_t>(index), 1));
    });
  }

  static std::ptrdiff_t state_bytes() { return sizeof(State); }
  static std::span<State> states_in(void* memory, std::ptrdiff_t count) {
    State* const states = static_cast<State*>(memory);
    std::uninitialized_default_construct_n(states, count);
    return {states, static_cast<std::size_t>(count)};
  }

 private:
  [[gnu::always_inline]] static Result result(const State& before, const State& local) {
    const auto value = before.value_with(local);
    if constexpr (Complex<T>) {
      using Part = typename T::value_type;
      return {static_cast<Part>(value.real()), static_cast<Part>(value.imag())};
    } else {
      return static_cast<Result>(value);
    }
  }

  /// Scans elements [begin, end) of each row, moves them by what was carried there, and carries on. The loops have copies of all that
  /// they read besides: what they write could change it otherwise.
  void scan_blocks(const rows::Tile& tile, std::ptrdiff_t begin, std::ptrdiff_t end, std::span<State> carried) const {
    const rows::TypedRows<T, Result> m = memory_;
    const T* from = m.from + tile.from + begin * m.from_step;
    Result* to = m.to + tile.to + begin * m.to_step;
    if (carried.size() > 1) return scan_side_by_side(m, from, to, end - begin, carried);
    if (m.from_step == 1 && m.to_step == 1) return scan_one(from, to, end - begin, Unit{}, Unit{}, carried[0]);
    scan_one(from, to, end - begin, m.from_step, m.to_step, carried[0]);
  }

  using Unit = std::integral_constant<std::ptrdiff_t, 1>;

  template <class FromStep, class ToStep>
  static void scan_one(const T* from, Result* to, std::ptrdiff_t n, FromStep from_step, ToStep to_step,
                       State& carried) {
    const State before = carried;
    State local;
    for (std::ptrdiff_t j = 0; j < n; ++j) {
      local.add(Traits::widened(from[j * from_step]));
      to[j * to_step] = result(before, local);
    }
    carried.merge(local);
  }

  static void scan_side_by_side(const rows::TypedRows<T, Result>& m, const T* from, Result* to, std::ptrdiff_t n,
                                std::span<State> carried) {
    const std::ptrdiff_t from_gap = m.from_gap, to_gap = m.to_gap;
    const std::size_t count = carried.size();
    State before[widest], local[widest];
    std::ranges::copy(carried, before);
    for (std::ptrdiff_t j = 0; j < n; ++j, from += m.from_step, to += m.to_step) {
      for (std::size_t row = 0; row < count; ++row) {
        const auto at = static_cast<std::ptrdiff_t>(row);
        local[row].add(Traits::widened(from[at * from_gap]));
        to[at * to_gap] = result(before[row], local[row]);
      }
    }
    for (std::size_t row = 0; row < count; ++row) carried[row].merge(local[row]);
  }

  /// The totals of blocks from number `first` on, whose chains of additions run beside each other.
  void add_up_blocks(const T* row, std::ptrdiff_t first, std::span<State> totals) const {
    const std::ptrdiff_t length = length_, step = memory_.from_step;
    if (std::ssize(totals) == blocks_per_task && (first + blocks_per_task) * block <= length) {
      State sums[blocks_per_task];
      for (std::ptrdiff_t j = first * block; j < (first + 1) * block; ++j) {
        for (std::ptrdiff_t i = 0; i < blocks_per_task; ++i) sums[i].add(Traits::widened(row[(i * block + j) * step]));
      }
      std::ranges::copy(sums, totals.begin());
      return;
    }
    for (State& total : totals) {
      const std::ptrdiff_t end = std::min(length, (first + 1) * block);
      for (std::ptrdiff_t j = first * block; j < end; ++j) total.add(Traits::widened(row[j * step]));
      ++first;
    }
  }

  std::ptrdiff_t length_;
  rows::TypedRows<T, Result> memory_;
};

template <class T, bool IsProduct>
void scan_rows_of(const rows::Call& call) {
  const rows::Tiling tiling(call, widest);
  const Scan<T, IsProduct> scan(call, tiling);
  const std::ptrdiff_t n = tiling.length();
  if (n < long_row || num_threads() < fewest_threads || tiling.row_count() >= num_threads()) {
    rows::for_each_tile(tiling, 0, [&](const rows::Tile& tile, std::byte*) { scan.scan_tile(tile); });
    return;
  }
  const std::ptrdiff_t blocks = (n - 1) / block + 1;
  const memory::Allocation memory(CpuPlace{}, blocks * scan.state_bytes());
  const rows::Tiling single(call, 1);
  for (std::ptrdiff_t row = 0; row < single.tile_count(); ++row)
    scan.scan_long_row(single.tile(row), scan.states_in(memory.data(), blocks));
}

template <class T>
void scan_rows_by(const rows::Call& call, Operation operation) {
  if (operation == Operation::sum) return scan_rows_of<T, false>(call);
  scan_rows_of<T, true>(call);
}

}  // namespace

void scan_rows(const rows::Call& call, Operation operation) {
  if (std::ranges::find(call.shape, 0) != call.shape.end()) return;
  switch (call.dtype) {
    case DType::boolean: return scan_rows_by<bool>(call, operation);
    case DType::int8: return scan_rows_by<std::int8_t>(call, operation);
    case DType::int16: return scan_rows_by<std::int16_t>(call, operation);
    case DType::int32: return scan_rows_by<std::int32_t>(call, operation);
    case DType::int64: return scan_rows_by<std::int64_t>(call, operation);
    case DType::uint8: return scan_rows_by<std::uint8_t>(call, operation);
    case DType::uint16: return scan_rows_by<std::uint16_t>(call, operation);
    case DType::uint32: return scan_rows_by<std::uint32_t>(call, operation);
    case DType::uint64: return scan_rows_by<std::uint64_t>(call, operation);
    case DType::float16: return scan_rows_by<float16>(call, operation);
    case DType::bfloat16: return scan_rows_by<bfloat16>(call, operation);
    case DType::float32: return scan_rows_by<float>(call, operation);
    case DType::float64: return scan_rows_by<double>(call, operation);
    case DType::complex64: return scan_rows_by<std::complex<float>>(call, operation);
    case DType::complex128: return scan_rows_by<std::complex<double>>(call, operation);
  }
}

}  // namespace tessera::scanning
