module;
#include <cstddef>
export module tessera.expr:product_kernels;
import tessera.standard;
import tessera.core;

// The innermost loops of matrix products, compiled for each instruction set: sums that stay in registers, and packing.
namespace tessera::plan {

/// A strip of rows of the left factor times one or two vectors of columns of the right one, whose columns lie side by side. Strides in
/// elements.
struct StripProduct {
  const void* a;
  std::ptrdiff_t a_row, a_column;
  const void* b;
  std::ptrdiff_t b_row;
  std::ptrdiff_t second;  // columns from the first vector to the second; if they overlap, `adds` is false
  std::ptrdiff_t depth;   // products that are added up for each element
  void* c;
  std::ptrdiff_t c_row;
  bool adds;  // to what is in c
};

/// Writes whole vectors. The products of an element are added up in their order, by one chain of fused additions where the CPU has them.
using MicroKernel = void (*)(const StripProduct& strip);

/// Copies a block of a factor, strides in elements, so that a micro-kernel finds what it reads side by side: for each step along the depth
/// the elements of `width` rows of the left factor, or columns of the right one. `padded` is the distance from one step to the next.
using PackStrip = void (*)(const void* from, std::ptrdiff_t along, std::ptrdiff_t across, std::ptrdiff_t depth,
                           std::ptrdiff_t width, std::ptrdiff_t padded, void* to);

/// The micro-kernels for some columns side by side, by the number of rows less one.
struct ColumnKernels {
  std::ptrdiff_t lanes;                 // columns
  std::span<const MicroKernel> any;     // for left factors as they lie; the packed ones where these must be packed
  std::span<const MicroKernel> packed;  // for packed ones: a_row and a_column are not read
};

/// Micro-kernels for one vector of columns or two, by the number of rows less one, for left factors as they lie.
struct NarrowKernels {
  std::span<const MicroKernel> one, two;
};

/// The loops for one type of elements on the CPU at hand.
struct ProductKernels {
  std::ptrdiff_t item;         // bytes of an element
  std::ptrdiff_t packed_item;  // of a packed factor
  std::ptrdiff_t step;         // products that an instruction adds up: packed factors lie in groups of so many
  std::ptrdiff_t tail = 0;     // bytes after the packed products of a row or a column, which belong to its sums
  std::ptrdiff_t depth;        // products that are added up before their sum is added to those before it
  std::array<ColumnKernels, 4> widths{};  // two vectors, one, and where there are such, halves and quarters
  std::size_t width_count = 0;
  std::array<std::uint8_t, 65>
      choice{};  // which of them comes next where so many columns are left, two vectors of them at most
  std::array<NarrowKernels, 4> narrow{};  // of 1, 2, 4, 8 lanes: of real numbers, if a vector has more

  inline std::ptrdiff_t lanes() const { return widths[1].lanes; }  // elements of a vector of results
  inline const ColumnKernels& for_columns(std::ptrdiff_t left) const {
    return widths[left >= widths[0].lanes ? 0 : choice[static_cast<std::size_t>(left)]];
  }
  /// Bytes of so many packed products of one row or column.
  inline std::ptrdiff_t packed_bytes(std::ptrdiff_t products) const {
    return (products + step - 1) / step * step * packed_item + tail;
  }
  inline std::ptrdiff_t most_rows() const { return static_cast<std::ptrdiff_t>(widths[0].any.size()); }
};

/// Products that are added up before their sum is added to those before it, of elements of `item` bytes: a row of so many is 1.5 KiB, or 3 of
/// complex128, so that a strip fits the L1 cache.
inline constexpr std::ptrdiff_t depth_of_sums(std::size_t item) { return item < 8 ? 384 : 192; }

/// Fills `choice` for the widths that there are.
void choose_widths(ProductKernels& kernels);

/// Of float32, float64, complex64 or complex128.
const ProductKernels& product_kernels(DType dtype);

/// Of factors of bfloat16 and sums of float32: pairs of products by one instruction, of packed factors. Elements below 1.2e-38 count as 0.
const ProductKernels& bfloat16_pair_kernels();

/// This CPU has that instruction (AVX512-BF16).
bool has_bfloat16_pairs() noexcept;

/// Packs factors for it.
PackStrip pair_packer();

/// Copies elements of one of these types, or of float16 or bfloat16 as float32.
PackStrip strip_packer(DType from);

/// Elements side by side, no more than two vectors: two copies that may overlap each other.
[[gnu::always_inline]] inline void copy_few(std::byte* to, const std::byte* from, std::ptrdiff_t bytes) {
  const auto both_ends = [&]<std::size_t Size>(std::array<std::byte, Size> first) {
    std::array<std::byte, Size> last;
    const std::ptrdiff_t end = bytes - static_cast<std::ptrdiff_t>(Size);
    __builtin_memcpy(&first, from, Size);
    __builtin_memcpy(&last, from + end, Size);
    __builtin_memcpy(to, &first, Size);
    __builtin_memcpy(to + end, &last, Size);
  };
  if (bytes > 64) return both_ends(std::array<std::byte, 64>());
  if (bytes >= 32) return both_ends(std::array<std::byte, 32>());
  if (bytes >= 16) return both_ends(std::array<std::byte, 16>());
  if (bytes >= 8) return both_ends(std::array<std::byte, 8>());
  if (bytes >= 4) return both_ends(std::array<std::byte, 4>());
}

}  // namespace tessera::plan
