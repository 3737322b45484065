module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Whether rows are moved in packs from their first aligned address on, and the kernel that does so.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t most_step = 4;    // of what is read in packs: all sectors of the memory are read anyway
constexpr std::ptrdiff_t least_packs = 8;  // of a row: shorter ones are mostly what is not in packs

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

/// The remainder that is not negative.
std::ptrdiff_t remainder(std::ptrdiff_t number, std::ptrdiff_t divisor) {
  return ((number % divisor) + divisor) % divisor;
}

/// The number of the operand's first element, counted from an address that is a whole number of packs; -1 for an address that is no whole
/// number of elements.
std::ptrdiff_t first_of(const Operand& operand, std::ptrdiff_t item, std::ptrdiff_t count) {
  const auto address = reinterpret_cast<std::uintptr_t>(operand.data);
  if (address % static_cast<std::uintptr_t>(item) != 0) return -1;
  return static_cast<std::ptrdiff_t>(address / static_cast<std::uintptr_t>(item) % static_cast<std::uintptr_t>(count));
}

bool skips(const DeviceVariant& variant, std::size_t operand) {
  return variant.access[operand] == Access::skipping && !variant.is_shared(operand);
}

/// The operand is read again and again along another axis, and stays in a cache.
bool is_read_again(const LoopPlan& plan, const Operand& operand) {
  constexpr std::ptrdiff_t often = 8;
  for (int axis = 0; axis + 1 < plan.rank; ++axis) {
    if (operand.strides[at(axis)] == 0 && plan.extents[at(axis)] >= often) return true;
  }
  return false;
}

/// Where an operand of step `step` along the rows has its first element in a pack, if that is the same place wherever the target's packs begin;
/// otherwise -1.
std::ptrdiff_t place_in_pack(const LoopPlan& plan, std::ptrdiff_t lead, const Operand& operand, std::ptrdiff_t item,
                             std::ptrdiff_t count, std::ptrdiff_t step) {
  const Operand& target = plan.operands.front();
  for (int axis = 0; axis + 1 < plan.rank; ++axis) {
    if ((operand.strides[at(axis)] - step * target.strides[at(axis)]) % count != 0) return -1;
  }
  const std::ptrdiff_t first = first_of(operand, item, count);
  if (first < 0) return -1;
  const std::ptrdiff_t place = remainder(first - step * lead, count);
  return place < step ? place : -1;
}

/// One of `step` neighbours. Which one is an argument: compilers would replace a load of whole packs by narrow ones if they knew what is not used.
constexpr const char* picking = R"cuda(
template <int step, class P, int packs> __device__ __forceinline__ auto tessera_pick(const P (&from)[packs], int k, tessera_index first) {
  constexpr int width = sizeof(from[0].values) / sizeof(from[0].values[0]);
  auto value = from[(step * k + step - 1) / width].values[(step * k + step - 1) % width];
#pragma unroll
  for (int j = step - 2; j >= 0; --j) {
    if (first == j) value = from[(step * k + j) / width].values[(step * k + j) % width];
  }
  return tessera_load(&value);
}

)cuda";

/// Builds the text.
class RowsWriter : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

  std::string write() {
    write_types();
    std::string sizes = "tessera_index count;\n  tessera_index length, lead;\n";
    for (std::size_t k = 1; k < operands(); ++k) {
      if (skips(variant_, k)) sizes += "  tessera_index " + first_name(k) + ";\n";
    }
    for (int axis = 1; axis < variant_.rank; ++axis) sizes += divisor_members("extent" + std::to_string(axis));
    write_arguments(sizes);
    if (variant_.rank > 1) text_ += device::launching::quotient_support(variant_.wide);
    write_element();
    if (!variant_.skipping.empty()) text_ += picking;
    text_ +=
        "extern \"C\" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {\n"
        "  const tessera_index step = static_cast<tessera_index>(gridDim.x) * blockDim.x;\n"
        "  for (tessera_index i = static_cast<tessera_index>(blockIdx.x) * blockDim.x + threadIdx.x; i < a.count; "
        "i += step) {\n";
    write_row();
    write_packs();
    write_rest();
    text_ += "  }\n}\n";
    return std::move(text_);
  }

 private:
  std::string last() const { return std::to_string(variant_.rank - 1); }
  std::string width() const { return std::to_string(variant_.vector); }
  std::string pack(std::size_t operand) const { return "tessera_pack<" + type_of(operand) + ", " + width() + ">"; }
  static std::string first_name(std::size_t operand) { return operand_name(operand) + "_first"; }
  static std::string name(std::size_t operand) { return "p" + std::to_string(operand - 1); }

  /// The row, and `begin`: where pack number i begins in it, before its first element perhaps.
  void write_row() {
    std::string rest = "i";
    for (int axis = variant_.rank - 1; axis > 0; --axis) {
      const std::string number = std::to_string(axis);
      const std::string next = axis == 1 ? "i0" : "rest" + number;
      text_ += std::string("    const ") + (axis == 1 ? "tessera_offset " : "tessera_index ") + next + " = " +
               quotient(rest, "extent" + number) + ";\n    const tessera_offset " +
               (axis == variant_.rank - 1 ? "slot" : "i" + number) + " = " + rest + " - " + next + " * a.extent" +
               number + ";\n";
      rest = next;
    }
    if (variant_.rank == 1) text_ += "    const tessera_offset slot = i;\n";
    std::string start = "a.lead";
    for (int axis = 0; axis + 1 < variant_.rank; ++axis)
      start += " + (tessera_index)(i" + std::to_string(axis) + " * a." + stride_name(0, axis) + ")";
    text_ += "    const tessera_offset begin = slot * " + width() + " - (tessera_offset)((" + start + ") % " + width() +
             ");\n";
  }

  /// Packs are loaded only where all of their elements lie between the row's first and its last one.
  void write_packs() {
    const std::string skipped = variant_.skipping.empty() ? "0" : "1";
    text_ += "    if (begin >= " + skipped + " && begin + " + width() + " + " + skipped +
             " <= (tessera_offset)a.length) {\n      const tessera_offset i" + last() + " = begin;\n";
    for (std::size_t k = 1; k < operands(); ++k) {
      if (!variant_.is_shared(k)) write_loads(k);
    }
    text_ += "      " + pack(0) + " q;\n#pragma unroll\n      for (int k = 0; k < " + width() +
             "; ++k)\n        tessera_store(q.values + k, tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) text_ += ", " + value(k, variant_.source(k));
    text_ += "));\n      *reinterpret_cast<" + pack(0) + "*>(" + address(0) + ") = q;\n";
  }

  void write_loads(std::size_t operand) {
    const std::string type = pack(operand);
    switch (variant_.access[operand]) {
      case Access::unit:
        text_ += "      const " + type + " " + name(operand) + " = *reinterpret_cast<const " + type + "*>(" +
                 address(operand) + ");\n";
        return;
      case Access::skipping: {
        const std::string count = std::to_string(variant_.skipping[operand].step);
        text_ += "      " + type + " " + name(operand) + "[" + count +
                 "];\n#pragma unroll\n      for (int k = 0; k < " + count + "; ++k) " + name(operand) +
                 "[k] = *reinterpret_cast<const " + type + "*>(" + address(operand) + " - a." + first_name(operand) +
                 " + k * " + width() + ");\n";
        return;
      }
      case Access::beside:
        text_ += "      " + value_type(operand - 1) + " " + name(operand) + "[" + width() +
                 "];\n#pragma unroll\n      for (int k = 0; k < " + width() + "; ++k) " + name(operand) +
                 "[k] = " + loaded(operand, address(operand) + " + k") + ";\n";
        return;
      default:
        text_ += "      const " + value_type(operand - 1) + " " + name(operand) + " = " +
                 loaded(operand, address(operand)) + ";\n";
    }
  }

  /// Value k of a pack.
  std::string value(std::size_t operand, std::size_t source) const {
    switch (variant_.access[operand]) {
      case Access::unit: return "tessera_load(" + name(source) + ".values + k)";
      case Access::skipping:
        return "tessera_pick<" + std::to_string(variant_.skipping[operand].step) + ">(" + name(source) + ", k, a." +
               first_name(source) + ")";
      case Access::beside: return name(source) + "[k]";
      default: return name(source);
    }
  }

  void write_rest() {
    text_ += "    } else {\n#pragma unroll 1\n      for (tessera_offset k = begin < 0 ? 0 : begin; k < begin + " +
             width() + " && k < (tessera_offset)a.length; ++k) {\n      const tessera_offset i" + last() + " = k;\n";
    for (std::size_t k = 1; k < operands(); ++k) write_load(k);
    text_ += "    tessera_store(" + address(0) + ", tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) text_ += ", " + operand_name(k);
    text_ += "));\n      }\n    }\n";
  }
};

}  // namespace

bool choose_rows(const LoopPlan& plan, const DeviceElement& element, DeviceVariant& variant) {
  const auto item = [&](std::size_t k) { return item_size(dtype_at(element, variant.target, k)); };
  const int count = widest_vector(element, variant.target);
  if (count < 2 || variant.access.front() != Access::unit || !element.generators.empty()) return false;
  if (plan.extents[at(plan.rank - 1)] < least_packs * count) return false;
  const std::ptrdiff_t lead = first_of(plan.operands.front(), item(0), count);
  if (lead < 0) return false;
  core::SmallVector<Access, 8> access = variant.access;
  core::SmallVector<Skipping, 8> skipping;
  skipping.resize(access.size());
  bool any_skips = false;
  for (std::size_t k = 1; k < access.size(); ++k) {
    if (access[k] == Access::constant || access[k] == Access::repeated) continue;
    const Operand& operand = plan.operands[k];
    const std::ptrdiff_t step = operand.strides[at(plan.rank - 1)];
    if (step < 1) return false;
    const bool is_short_step = step <= std::min<std::ptrdiff_t>(count, most_step);
    const std::ptrdiff_t place = is_short_step ? place_in_pack(plan, lead, operand, item(k), count, step) : -1;
    if (place >= 0 && step == 1) continue;
    if (place >= 0) {
      access[k] = Access::skipping;
      skipping[k] = {.step = static_cast<std::uint8_t>(step), .first = static_cast<std::uint8_t>(place)};
      any_skips = true;
    } else if (step == 1 && is_read_again(plan, operand)) {
      access[k] = Access::beside;
    } else {
      return false;
    }
  }
  variant.access = std::move(access);
  if (any_skips) variant.skipping = std::move(skipping);
  variant.vector = count;
  variant.in_rows = true;
  return true;
}

std::ptrdiff_t row_lead(const LoopPlan& plan, const DeviceVariant& variant) {
  return first_of(plan.operands.front(), item_size(variant.target), variant.vector);
}

std::ptrdiff_t row_packs(const LoopPlan& plan, const DeviceVariant& variant) {
  const Operand& target = plan.operands.front();
  std::ptrdiff_t lead = row_lead(plan, variant);
  for (int axis = 0; axis + 1 < plan.rank; ++axis) {
    if (target.strides[at(axis)] % variant.vector != 0) lead = variant.vector - 1;  // the most that a row can have
  }
  return (plan.extents[at(plan.rank - 1)] + lead - 1) / variant.vector + 1;
}

std::string rows_kernel(const DeviceElement& element, const DeviceVariant& variant) {
  return RowsWriter(element, variant).write();
}

}  // namespace tessera::plan
