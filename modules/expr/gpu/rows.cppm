module;
#include <cstddef>
export module tessera.expr:gpu_rows;
import tessera.standard;
import tessera.core;
import tessera.device;
import :plan;
import :gpu_variant;

// Elementwise kernels for rows that begin or end anywhere: what lies between a row's first aligned address and its last one is moved in packs, and
// the elements around that one by one. An operand that skips elements is read in packs, too, of which some elements are not used.
namespace tessera::plan {

/// Makes the variant one of these kernels if they fit the plan: the target is contiguous along its rows, and every operand has one value
/// in a row, or begins each row at the same distance from an aligned address as the target, or is small enough to be read from a cache
/// element by element. Returns whether that is so.
bool choose_rows(const LoopPlan& plan, const DeviceElement& element, DeviceVariant& variant);

/// Packs that cover a row, wherever it begins.
std::ptrdiff_t row_packs(const LoopPlan& plan, const DeviceVariant& variant);

/// The target's elements from an aligned address to its first element.
std::ptrdiff_t row_lead(const LoopPlan& plan, const DeviceVariant& variant);

/// The text of the kernel and of its arguments.
std::string rows_kernel(const DeviceElement& element, const DeviceVariant& variant);

}  // namespace tessera::plan
