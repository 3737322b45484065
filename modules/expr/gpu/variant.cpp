module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Choosing the CUDA kernel of an elementwise plan, and laying out its arguments.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t access_bytes = 16;  // the widest load of one thread
constexpr std::ptrdiff_t narrow_limit = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t short_body = 400;     // characters; of longer expressions there are fewer copies to compile
constexpr std::uint64_t block_numbers = 4;  // random numbers of one call

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

std::span<const std::ptrdiff_t> strides_of(const LoopPlan& plan, const Operand& operand) {
  return std::span(operand.strides).first(at(plan.rank));
}

Access access_of(const LoopPlan& plan, const Operand& operand) {
  const auto strides = strides_of(plan, operand);
  if (std::ranges::all_of(strides, [](std::ptrdiff_t stride) { return stride == 0; })) return Access::constant;
  if (operand.generate != nullptr) return strides.back() == 1 ? Access::unit : Access::strided;
  if (strides.back() == 0) return Access::repeated;
  return strides.back() == 1 ? Access::unit : Access::strided;
}

/// Every distance between elements of the operand fits 32 bits.
bool is_narrow(const LoopPlan& plan, const Operand& operand) {
  std::ptrdiff_t reach = 0;
  for (int axis = 0; axis < plan.rank; ++axis) {
    std::ptrdiff_t along = 0;
    if (__builtin_mul_overflow(std::abs(operand.strides[at(axis)]), plan.extents[at(axis)], &along)) return false;
    if (__builtin_add_overflow(reach, along, &reach)) return false;
  }
  return reach <= narrow_limit;
}

/// A whole number of accesses of `count` elements begins at an aligned address in every row.
bool is_aligned(const LoopPlan& plan, const Operand& operand, DType dtype, int count) {
  std::ptrdiff_t whole = count;
  if (operand.generate != nullptr) {
    whole = block_numbers;
    if (static_cast<std::uint64_t>(operand.first) % block_numbers != 0) return false;
  } else if (reinterpret_cast<std::uintptr_t>(operand.data) % static_cast<std::uintptr_t>(item_size(dtype) * count) !=
             0) {
    return false;
  }
  for (int axis = 0; axis + 1 < plan.rank; ++axis) {
    if (operand.strides[at(axis)] % whole != 0) return false;
  }
  return true;
}

/// Elements that one thread can move at once; 1 when some operand does not allow more.
int vector_of(const LoopPlan& plan, const DeviceElement& element, const DeviceVariant& variant) {
  const int count = widest_vector(element, variant.target);
  if (variant.access.front() != Access::unit) return 1;
  if (plan.rank > 1 && plan.extents[at(plan.rank - 1)] % count != 0) return 1;
  for (std::size_t k = 0; k < plan.operands.size(); ++k) {
    if (variant.access[k] == Access::strided) return 1;
    if (variant.access[k] != Access::unit) continue;
    if (!is_aligned(plan, plan.operands[k], dtype_at(element, variant.target, k), count)) return 1;
  }
  return count;
}

/// How a kernel whose operands allow no wide access from their first element on loads several elements at once all the same.
void widen(const LoopPlan& plan, const DeviceElement& element, DeviceVariant& variant) {
  if (choose_rows(plan, element, variant)) return;
  const bool is_long = element.body.size() >= short_body || !element.generators.empty();
  if (is_long) return;
  // More at once make compilers spill registers where positions or functions need many.
  const bool is_simple = plan.rank == 1 && plan.operands.size() <= 2;
  const std::ptrdiff_t bytes = access_bytes / widest_vector(element, variant.target);
  variant.together = bytes >= 8 ? 2 : bytes <= 2 && is_simple ? 8 : 4;
}

/// Tiles of a plane and of a full band, and the rows of tiles of the last band if that is not full.
void put_bands(device::launching::Arguments& arguments, const LoopPlan& plan, const DeviceVariant& variant) {
  const auto tiles = [&](int axis) { return (plan.extents[at(axis)] - 1) / variant.edge + 1; };
  const std::ptrdiff_t across = tiles(plan.rank - 1), down = tiles(variant.axis);
  const std::ptrdiff_t rest = down % tile_band;
  for (const std::ptrdiff_t number : {across * down, across * tile_band, rest == 0 ? tile_band : rest}) {
    arguments.put_index(number, variant.wide);
    put_divisor(arguments, number, variant.wide);
  }
}

/// Decides which operands are staged, and in tiles of which size.
void choose_tiles(const LoopPlan& plan, DeviceVariant& variant) {
  static constexpr Axes nowhere{};  // the strides of what is not read from memory
  if (plan.rank < 2) return;
  core::SmallVector<device::launching::TiledOperand, 8> operands;
  for (std::size_t k = 0; k < plan.operands.size(); ++k) {
    const Operand& operand = plan.operands[k];
    const bool is_read = operand.generate == nullptr && !variant.is_shared(k);
    operands.push_back({is_read ? strides_of(plan, operand) : std::span(nowhere).first(at(plan.rank)), operand.item});
  }
  const device::launching::Tiling tiling =
      device::launching::tiling_of(std::span(plan.extents).first(at(plan.rank)), operands);
  variant.edge = tiling.edge;
  variant.axis = tiling.axis;
  for (std::size_t k = 0; k < tiling.staged.size(); ++k) {
    if (tiling.staged[k]) variant.access[k] = Access::staged;
  }
}

bool share_memory(const Operand& a, const Operand& b, int rank) {
  const auto strides = [rank](const Operand& operand) { return std::span(operand.strides).first(at(rank)); };
  return a.generate == nullptr && b.generate == nullptr && a.data == b.data &&
         std::ranges::equal(strides(a), strides(b));
}

}  // namespace

void find_shared_operands(std::span<const Operand> operands, int rank, const DeviceElement& element,
                          DeviceVariant& variant) {
  constexpr std::size_t most = std::numeric_limits<std::uint8_t>::max();
  if (operands.size() > most) return;
  core::SmallVector<std::uint8_t, 8> shared_with;
  bool any = false;
  for (std::size_t k = 0; k < operands.size(); ++k) {
    std::size_t first = std::min<std::size_t>(1, k);
    while (first < k &&
           !(element.leaves[first - 1] == element.leaves[k - 1] && share_memory(operands[first], operands[k], rank)))
      ++first;
    any = any || first != k;
    shared_with.push_back(static_cast<std::uint8_t>(first));
  }
  if (any) variant.shared_with = std::move(shared_with);
}

DType dtype_at(const DeviceElement& element, DType target, std::size_t operand) {
  return operand == 0 ? target : element.leaves[operand - 1];
}

std::string leaf_name(std::size_t leaf) { return "x" + std::to_string(leaf); }

std::string operand_name(std::size_t operand) { return operand == 0 ? "y" : leaf_name(operand - 1); }

core::SmallVector<int, most_axes> stride_axes(const DeviceVariant& variant, std::size_t operand) {
  core::SmallVector<int, most_axes> axes;
  if (variant.access[operand] == Access::constant || variant.is_shared(operand)) return axes;
  for (int axis = 0; axis + 1 < variant.rank; ++axis) axes.push_back(axis);
  const Access access = variant.access[operand];
  const bool steps = access == Access::strided || access == Access::staged || access == Access::skipping;
  if (steps) axes.push_back(variant.rank - 1);
  return axes;
}

DeviceVariant device_variant(const LoopPlan& plan, const DeviceElement& element, DType target) {
  DeviceVariant variant{.target = target, .rank = plan.rank};
  variant.wide = plan.elements > narrow_limit;
  for (const Operand& operand : plan.operands) {
    variant.access.push_back(access_of(plan, operand));
    variant.wide = variant.wide || !is_narrow(plan, operand);
  }
  find_shared_operands(plan.operands, plan.rank, element, variant);
  choose_tiles(plan, variant);
  if (variant.edge != 0) return variant;
  variant.vector = vector_of(plan, element, variant);
  if (variant.vector == 1) widen(plan, element, variant);
  return variant;
}

int widest_vector(const DeviceElement& element, DType target) {
  std::ptrdiff_t widest = item_size(target);
  for (const DType dtype : element.leaves) widest = std::max(widest, item_size(dtype));
  return static_cast<int>(access_bytes / widest);
}

std::ptrdiff_t thread_pieces(const LoopPlan& plan, const DeviceVariant& variant) {
  if (variant.in_rows) return plan.elements / plan.extents[at(plan.rank - 1)] * row_packs(plan, variant);
  return (plan.elements - 1) / (variant.vector > 1 ? variant.vector : variant.together) + 1;
}

std::ptrdiff_t tile_count(const LoopPlan& plan, const DeviceVariant& variant) {
  return device::launching::tile_count(std::span(plan.extents).first(at(plan.rank)),
                                       {.axis = variant.axis, .edge = variant.edge});
}

int block_threads(const DeviceVariant& variant) {
  return variant.edge == 0 && variant.together == 1 ? 0 : device::launching::tile_threads;
}

void put_device_arguments(device::launching::Arguments& arguments, const LoopPlan& plan, const DeviceElement& element,
                          const DeviceVariant& variant, std::span<const std::byte> scalars) {
  put_operands(arguments, plan.operands);
  put_scalars(arguments, scalars, element.scalars.size());
  const bool tiled = variant.edge != 0;
  const std::ptrdiff_t count = tiled             ? tile_count(plan, variant)
                               : variant.in_rows ? thread_pieces(plan, variant)
                                                 : plan.elements;
  arguments.put_index(count, variant.wide);
  if (variant.in_rows) {
    arguments.put_index(plan.extents[at(plan.rank - 1)], variant.wide);
    arguments.put_index(row_lead(plan, variant), variant.wide);
    for (std::size_t k = 1; k < variant.skipping.size(); ++k) {
      if (variant.access[k] == Access::skipping && !variant.is_shared(k))
        arguments.put_index(variant.skipping[k].first, variant.wide);
    }
  }
  if (tiled) put_bands(arguments, plan, variant);
  for (int axis = tiled ? 0 : 1; axis < plan.rank; ++axis) {
    const bool in_packs = !tiled && axis + 1 == plan.rank;
    const std::ptrdiff_t extent = in_packs && variant.in_rows
                                      ? row_packs(plan, variant)
                                      : plan.extents[at(axis)] / (in_packs ? variant.vector : 1);
    arguments.put_index(extent, variant.wide);
    if (tiled && (axis == variant.axis || axis + 1 == plan.rank)) continue;
    put_divisor(arguments, extent, variant.wide);
  }
  for (std::size_t k = 0; k < plan.operands.size(); ++k) {
    for (const int axis : stride_axes(variant, k))
      arguments.put_index(plan.operands[k].strides[at(axis)], variant.wide);
  }
}

std::string to_string(const DeviceVariant& variant) {
  std::string text = "rank " + std::to_string(variant.rank) + (variant.wide ? ", 64" : ", 32") + "-bit indices, ";
  if (variant.edge != 0) {
    const std::string edge = std::to_string(variant.edge);
    text += "tiles of " + edge + " x " + edge + " elements along axes " + std::to_string(variant.axis) + " and " +
            std::to_string(variant.rank - 1) + ", ";
  }
  text += variant.vector == 1 ? "one element an access" : std::to_string(variant.vector) + " elements an access";
  if (variant.together > 1) text += ", " + std::to_string(variant.together) + " of a thread together";
  if (variant.along >= 0) text += " along axis " + std::to_string(variant.along);
  if (variant.in_rows) text += " from the first aligned one of each row on";
  for (std::size_t k = 0; k < variant.access.size(); ++k) {
    constexpr const char* names[] = {
        "constant", "repeated", "unit stride", "strided", "staged", "some of each pack", "unit stride, one by one"};
    text +=
        (k == 0 ? ": " : ", ") + operand_name(k) + " " +
        (variant.is_shared(k) ? "is " + operand_name(variant.source(k)) : names[static_cast<int>(variant.access[k])]);
  }
  return text;
}

void throw_no_device_text(const std::string& operation) {
  throw DTypeError(to_string(Failure{.operation = "device text",
                                     .problem = operation + " has none",
                                     .advice = "give the operation a member `static constexpr const char* device`"}));
}

void require_device_text(const DeviceElement& element) {
  if (element.missing != nullptr) throw_no_device_text(element.missing);
}

}  // namespace tessera::plan
