module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:contract;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :subscripts;

// Sums of products over labelled axes, of operands whose types are known at run time: two at a time, in the cheapest order, each as a batch of matrix products.
namespace tessera::contraction {

/// An operand in memory. All operands of a contraction are on one place.
export struct Operand {
  const void* data;
  std::array<std::ptrdiff_t, most_labels> extents, strides;  // as many as it has labels
  Place place;
};

/// The place of all operands, and of the result: the CPU for all places of the host. Throws PlaceError.
export Place place_of(std::string_view text, std::span<const Operand> operands, const std::source_location& where);

/// The extents of the result. Throws ShapeError: extents of one letter differ, where 1 broadcasts.
export std::array<std::ptrdiff_t, most_labels> result_extents(std::string_view text, const Subscripts& subscripts,
                                                              std::span<const Operand> operands,
                                                              const std::source_location& where);

/// The type in which elements of type T are summed: 64 bits for integers, which wrap to any, and float for those of 16 bits.
export template <Element T>
using sum_t = std::conditional_t<Integer<T>, std::int64_t, compute_t<T>>;

/// Writes the contraction of operands with elements of type `dtype`, one of sum_t's, which result_extents() has accepted, to contiguous memory at the same place, where what is pending on the operands is done; it is written when this returns. Throws OutOfMemory, ShapeError for
/// products that cannot be counted.
export void contract(DType dtype, const Subscripts& subscripts, std::span<const Operand> operands, void* result);

/// Throws ShapeError with the string and a mark under the character that is wrong.
export [[noreturn]] void throw_wrong_subscripts(std::string_view text, const Subscripts& subscripts,
                                                const std::source_location& where);

}  // namespace tessera::contraction
