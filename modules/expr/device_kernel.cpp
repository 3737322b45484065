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
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Choosing and writing the CUDA kernel of an elementwise plan, and laying out its arguments.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t access_bytes = 16;  // the widest load of one thread
constexpr std::ptrdiff_t pointer_bytes = 8;
constexpr std::ptrdiff_t narrow_limit = std::numeric_limits<std::int32_t>::max();

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

Access access_of(const LoopPlan& plan, const Space::Operand& operand) {
  const auto strides = std::span(operand.strides).first(at(plan.rank));
  if (std::ranges::all_of(strides, [](std::ptrdiff_t stride) { return stride == 0; })) return Access::constant;
  if (strides.back() == 0) return Access::repeated;
  return strides.back() == 1 ? Access::unit : Access::strided;
}

/// Every distance between elements of the operand fits 32 bits.
bool is_narrow(const LoopPlan& plan, const Space::Operand& operand) {
  std::ptrdiff_t reach = 0;
  for (int axis = 0; axis < plan.rank; ++axis) {
    std::ptrdiff_t along = 0;
    if (__builtin_mul_overflow(std::abs(operand.strides[at(axis)]), plan.extents[at(axis)], &along)) return false;
    if (__builtin_add_overflow(reach, along, &reach)) return false;
  }
  return reach <= narrow_limit;
}

/// A whole number of accesses of `count` elements begins at an aligned address in every row.
bool is_aligned(const LoopPlan& plan, const Space::Operand& operand, DType dtype, int count) {
  const std::ptrdiff_t bytes = item_size(dtype) * count;
  if (reinterpret_cast<std::uintptr_t>(operand.data) % static_cast<std::uintptr_t>(bytes) != 0) return false;
  for (int axis = 0; axis + 1 < plan.rank; ++axis) {
    if (operand.strides[at(axis)] % count != 0) return false;
  }
  return true;
}

DType dtype_at(const DeviceElement& element, DType target, std::size_t operand) {
  return operand == 0 ? target : element.leaves[operand - 1];
}

/// Elements that one thread can move at once; 1 when some operand does not allow more.
int vector_of(const LoopPlan& plan, const DeviceElement& element, const DeviceVariant& variant) {
  std::ptrdiff_t widest = item_size(variant.target);
  for (const DType dtype : element.leaves) widest = std::max(widest, item_size(dtype));
  const int count = static_cast<int>(access_bytes / widest);
  if (variant.access.front() != Access::unit) return 1;
  if (plan.rank > 1 && plan.extents[at(plan.rank - 1)] % count != 0) return 1;
  for (std::size_t k = 0; k < plan.operands.size(); ++k) {
    if (variant.access[k] == Access::strided) return 1;
    if (variant.access[k] != Access::unit) continue;
    if (!is_aligned(plan, plan.operands[k], dtype_at(element, variant.target, k), count)) return 1;
  }
  return count;
}

std::string operand_name(std::size_t k) { return k == 0 ? "y" : "x" + std::to_string(k - 1); }

/// Axes along which the kernel multiplies by a stride of this operand.
std::vector<int> stride_axes(const DeviceVariant& variant, std::size_t operand) {
  std::vector<int> axes;
  if (variant.access[operand] == Access::constant) return axes;
  for (int axis = 0; axis + 1 < variant.rank; ++axis) axes.push_back(axis);
  if (variant.access[operand] == Access::strided) axes.push_back(variant.rank - 1);
  return axes;
}

/// Builds the text of one kernel.
class KernelWriter {
 public:
  KernelWriter(const DeviceElement& element, const DeviceVariant& variant) : element_(element), variant_(variant) {}

  std::string write() {
    write_types();
    write_arguments();
    write_element();
    write_kernel();
    return std::move(text_);
  }

 private:
  std::string type_of(std::size_t operand) const {
    return std::string(device_name(dtype_at(element_, variant_.target, operand)));
  }
  std::size_t operands() const { return variant_.access.size(); }

  void write_types() {
    text_ += variant_.wide ? "typedef unsigned long long tessera_index;\ntypedef long long tessera_offset;\n\n"
                           : "typedef unsigned int tessera_index;\ntypedef int tessera_offset;\n\n";
  }

  void write_arguments() {
    text_ += "struct tessera_arguments {\n";
    for (std::size_t k = 0; k < operands(); ++k)
      text_ += (k == 0 ? "  " : "  const ") + type_of(k) + "* " + operand_name(k) + ";\n";
    for (std::size_t k = 0; k < element_.scalars.size(); ++k)
      text_ += "  alignas(16) " + std::string(device_name(element_.scalars[k])) + " s" + std::to_string(k) + ";\n";
    text_ += element_.scalars.empty() ? "  tessera_index count;\n" : "  alignas(16) tessera_index count;\n";
    for (int axis = 1; axis < variant_.rank; ++axis) text_ += "  tessera_index extent" + std::to_string(axis) + ";\n";
    for (std::size_t k = 0; k < operands(); ++k) {
      for (const int axis : stride_axes(variant_, k)) text_ += "  tessera_offset " + stride_name(k, axis) + ";\n";
    }
    text_ += "};\n\n";
  }

  static std::string stride_name(std::size_t operand, int axis) {
    return operand_name(operand) + "_stride" + std::to_string(axis);
  }

  void write_element() {
    text_ += "static __device__ __forceinline__ " + std::string(device_name(element_.value)) +
             " tessera_element(const tessera_arguments& a";
    for (std::size_t k = 0; k < element_.leaves.size(); ++k)
      text_ += ", const " + value_type(k) + " x" + std::to_string(k);
    text_ += ") {\n";
    for (std::size_t k = 0; k < element_.scalars.size(); ++k) {
      text_ += "  const " + std::string(device_name(element_.scalars[k])) + " s" + std::to_string(k) + " = a.s" +
               std::to_string(k) + ";\n";
    }
    text_ += element_.body;
    text_ += std::string("  return ") + element_.result_letter + std::to_string(element_.result_number) + ";\n}\n\n";
  }

  /// The compute type of a leaf.
  std::string value_type(std::size_t leaf) const {
    const DType dtype = element_.leaves[leaf];
    const bool sixteen = dtype == DType::float16 || dtype == DType::bfloat16;
    return std::string(device_name(sixteen ? DType::float32 : dtype));
  }

  void write_kernel() {
    text_ +=
        "extern \"C\" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {\n"
        "  const tessera_index step = static_cast<tessera_index>(gridDim.x) * blockDim.x;\n"
        "  const tessera_index thread = static_cast<tessera_index>(blockIdx.x) * blockDim.x + threadIdx.x;\n";
    if (variant_.vector > 1) write_vector_loop();
    if (variant_.vector == 1 || variant_.rank == 1) write_scalar_loop();
    text_ += "}\n";
  }

  void write_scalar_loop() {
    const bool tail = variant_.vector > 1;
    const std::string first = tail ? "packs * " + std::to_string(variant_.vector) + " + thread" : "thread";
    text_ += "  for (tessera_index i = " + first + "; i < a.count; i += step) {\n";
    write_indices("a.extent" + std::to_string(variant_.rank - 1), "");
    text_ += "    tessera_store(" + address(0) + ", tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) text_ += ", tessera_load(" + address(k) + ")";
    text_ += "));\n  }\n";
  }

  void write_vector_loop() {
    const std::string count = std::to_string(variant_.vector);
    text_ += "  const tessera_index packs = a.count / " + count + ";\n";
    text_ += "  for (tessera_index i = thread; i < packs; i += step) {\n";
    write_indices("(a.extent" + std::to_string(variant_.rank - 1) + " / " + count + ")", " * " + count);
    for (std::size_t k = 1; k < operands(); ++k) {
      if (variant_.access[k] == Access::unit) {
        text_ += "    const " + pack(k) + " p" + std::to_string(k - 1) + " = *reinterpret_cast<const " + pack(k) +
                 "*>(" + address(k) + ");\n";
      } else {
        text_ +=
            "    const " + value_type(k - 1) + " x" + std::to_string(k - 1) + " = tessera_load(" + address(k) + ");\n";
      }
    }
    text_ += "    " + pack(0) + " q;\n#pragma unroll\n    for (int k = 0; k < " + count + "; ++k)\n" +
             "      tessera_store(q.values + k, tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) {
      const std::string number = std::to_string(k - 1);
      text_ += variant_.access[k] == Access::unit ? ", tessera_load(p" + number + ".values + k)" : ", x" + number;
    }
    text_ += "));\n    *reinterpret_cast<" + pack(0) + "*>(" + address(0) + ") = q;\n  }\n";
  }

  std::string pack(std::size_t operand) const {
    return "tessera_pack<" + type_of(operand) + ", " + std::to_string(variant_.vector) + ">";
  }

  /// i0, i1, ...: the position along each axis of what has number i. `last` is the last axis' extent in such units.
  void write_indices(const std::string& last, const std::string& scale) {
    if (variant_.rank == 1) {
      text_ += "    const tessera_index i0 = i" + scale + ";\n";
      return;
    }
    text_ += "    tessera_index rest = i;\n";
    for (int axis = variant_.rank - 1; axis > 0; --axis) {
      const bool is_last = axis == variant_.rank - 1;
      const std::string extent = is_last ? last : "a.extent" + std::to_string(axis);
      text_ += "    const tessera_index i" + std::to_string(axis) + " = rest % " + extent + (is_last ? scale : "") +
               ";\n    rest /= " + extent + ";\n";
    }
    text_ += "    const tessera_index i0 = rest;\n";
  }

  std::string address(std::size_t operand) const {
    std::string sum = "a." + operand_name(operand);
    for (const int axis : stride_axes(variant_, operand)) {
      sum += " + static_cast<tessera_offset>(i" + std::to_string(axis) + ") * a." + stride_name(operand, axis);
    }
    if (variant_.access[operand] == Access::unit) sum += " + i" + std::to_string(variant_.rank - 1);
    return sum;
  }

  const DeviceElement& element_;
  const DeviceVariant& variant_;
  std::string text_;
};

/// Appends values at their alignment.
class ArgumentBytes {
 public:
  void put(const void* value, std::ptrdiff_t bytes, std::ptrdiff_t alignment) {
    align(alignment);
    const auto* from = static_cast<const std::byte*>(value);
    bytes_.insert(bytes_.end(), from, from + bytes);
  }
  void put_index(std::ptrdiff_t value, bool wide) {
    const auto narrow = static_cast<std::int32_t>(value);
    wide ? put(&value, sizeof value, sizeof value) : put(&narrow, sizeof narrow, sizeof narrow);
  }
  void align(std::ptrdiff_t alignment) {
    while (static_cast<std::ptrdiff_t>(bytes_.size()) % alignment != 0) bytes_.push_back(std::byte{0});
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

DeviceVariant device_variant(const LoopPlan& plan, const DeviceElement& element, DType target) {
  DeviceVariant variant{.target = target, .rank = plan.rank};
  variant.wide = plan.elements > narrow_limit;
  for (const Space::Operand& operand : plan.operands) {
    variant.access.push_back(access_of(plan, operand));
    variant.wide = variant.wide || !is_narrow(plan, operand);
  }
  variant.vector = vector_of(plan, element, variant);
  return variant;
}

std::string device_kernel(const DeviceElement& element, const DeviceVariant& variant) {
  return KernelWriter(element, variant).write();
}

std::string device_support(const DeviceElement& element) {
  const auto is_complex = [](DType dtype) { return kind(dtype) == Kind::complex; };
  const bool complex =
      std::ranges::any_of(element.leaves, is_complex) || element.body.find("tessera_complex") != std::string_view::npos;
  return std::string(device_prelude) + (complex ? device_complex : "") + device_storage;
}

std::vector<std::byte> device_arguments(const LoopPlan& plan, const DeviceElement& element,
                                        const DeviceVariant& variant, std::span<const std::byte> scalars) {
  constexpr std::ptrdiff_t slot = 16;  // alignas of every scalar
  ArgumentBytes bytes;
  for (const Space::Operand& operand : plan.operands) bytes.put(&operand.data, pointer_bytes, pointer_bytes);
  for (std::size_t k = 0; k < element.scalars.size(); ++k) bytes.put(scalars.data() + k * slot, slot, slot);
  bytes.put_index(plan.elements, variant.wide);
  for (int axis = 1; axis < plan.rank; ++axis) bytes.put_index(plan.extents[at(axis)], variant.wide);
  for (std::size_t k = 0; k < plan.operands.size(); ++k) {
    for (const int axis : stride_axes(variant, k)) bytes.put_index(plan.operands[k].strides[at(axis)], variant.wide);
  }
  bytes.align(element.scalars.empty() ? pointer_bytes : slot);
  return bytes.take();
}

std::string to_string(const DeviceVariant& variant) {
  std::string text = "rank " + std::to_string(variant.rank) + (variant.wide ? ", 64" : ", 32") + "-bit indices, ";
  text += variant.vector == 1 ? "one element an access" : std::to_string(variant.vector) + " elements an access";
  for (std::size_t k = 0; k < variant.access.size(); ++k) {
    constexpr const char* names[] = {"constant", "repeated", "unit stride", "strided"};
    text += (k == 0 ? ": " : ", ") + operand_name(k) + " " + names[static_cast<int>(variant.access[k])];
  }
  return text;
}

}  // namespace tessera::plan
