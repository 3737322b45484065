module;
#include <algorithm>
#include <cstddef>
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

// Writing the CUDA kernel around the elementwise work of an expression.
namespace tessera::plan {

namespace {

/// Builds the text of a kernel that stores every element.
class ElementwiseWriter : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

  std::string write() {
    write_types();
    write_arguments(1);
    write_element();
    write_kernel();
    return std::move(text_);
  }

 private:
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
    for (std::size_t k = 1; k < operands(); ++k) write_load(k);
    text_ += "    tessera_store(" + address(0) + ", tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) text_ += ", " + operand_name(k);
    text_ += "));\n  }\n";
  }

  void write_vector_loop() {
    const std::string count = std::to_string(variant_.vector);
    text_ += "  const tessera_index packs = a.count / " + count + ";\n";
    if (variant_.rank > 1) {
      text_ += "  const tessera_index columns = a.extent" + std::to_string(variant_.rank - 1) + " / " + count + ";\n";
    }
    text_ += "  for (tessera_index i = thread; i < packs; i += step) {\n";
    write_indices("columns", " * " + count);
    for (std::size_t k = 1; k < operands(); ++k) {
      if (variant_.access[k] == Access::unit) {
        if (variant_.is_shared(k)) continue;
        text_ += "    const " + pack(k) + " p" + std::to_string(k - 1) + " = *reinterpret_cast<const " + pack(k) +
                 "*>(" + address(k) + ");\n";
      } else {
        write_load(k);
      }
    }
    text_ += "    " + pack(0) + " q;\n#pragma unroll\n    for (int k = 0; k < " + count + "; ++k)\n" +
             "      tessera_store(q.values + k, tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) {
      const std::string number = std::to_string(variant_.source(k) - 1);
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
      text_ += "    const tessera_offset i0 = i" + scale + ";\n";
      return;
    }
    text_ += "    tessera_index rest = i;\n";
    for (int axis = variant_.rank - 1; axis > 0; --axis) {
      const bool is_last = axis == variant_.rank - 1;
      const std::string extent = is_last ? last : "a.extent" + std::to_string(axis);
      text_ += "    const tessera_offset i" + std::to_string(axis) + " = rest % " + extent;
      if (is_last) text_ += scale;
      text_ += ";\n    rest /= " + extent + ";\n";
    }
    text_ += "    const tessera_offset i0 = rest;\n";
  }
};

/// Builds the text for an expression some of whose operands are contiguous along another axis than the target: a block takes a tile of the two axes,
/// reads those operands along their own axis into shared memory, and computes along the target's.
class TiledWriter : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

  std::string write() {
    write_types();
    write_arguments(0);
    write_element();
    text_ += "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(device::launching::tile_threads) +
             ") tessera_kernel(const __grid_constant__ tessera_arguments a) {\n";
    write_memory();
    text_ += "  const unsigned int x = threadIdx.x % " + edge() + ", y = threadIdx.x / " + edge() +
             ";\n  const tessera_index across = (a.extent" + last() + " + " + past() + ") / " + edge() +
             ", down = (a.extent" + other() + " + " + past() + ") / " + edge() +
             ";\n  for (tessera_index tile = blockIdx.x; tile < a.count; tile += gridDim.x) {\n";
    write_place();
    write_staging();
    write_results();
    text_ += "  }\n}\n";
    return std::move(text_);
  }

 private:
  std::string edge() const { return std::to_string(variant_.edge); }
  std::string past() const { return std::to_string(variant_.edge - 1); }
  std::string last() const { return std::to_string(variant_.rank - 1); }
  std::string other() const { return std::to_string(variant_.axis); }
  bool is_staged(std::size_t operand) const {
    return variant_.access[operand] == Access::staged && !variant_.is_shared(operand);
  }
  int pitch(std::size_t operand) const {
    return device::launching::tile_pitch(variant_.edge, item_size(dtype_at(element_, variant_.target, operand)));
  }
  static std::string tile(std::size_t operand) { return "tile" + std::to_string(operand - 1); }

  void write_memory() {
    for (std::size_t k = 1; k < operands(); ++k) {
      if (!is_staged(k)) continue;
      text_ += "  __shared__ __align__(16) unsigned char memory" + std::to_string(k - 1) + "[" + edge() + " * " +
               std::to_string(pitch(k)) + " * sizeof(" + type_of(k) + ")];\n  " + type_of(k) + "* const " + tile(k) +
               " = reinterpret_cast<" + type_of(k) + "*>(memory" + std::to_string(k - 1) + ");\n";
    }
  }

  /// Where the tile begins: `column` along the last axis, `row` along the other, and the positions along all others.
  void write_place() {
    text_ += "    const tessera_index column = tile % across * " + edge() + ";\n" +
             "    tessera_index rest = tile / across;\n    const tessera_index row = rest % down * " + edge() +
             ";\n    rest /= down;\n";
    for (int axis = variant_.rank - 2; axis >= 0; --axis) {
      if (axis == variant_.axis) continue;
      const std::string number = std::to_string(axis);
      text_ += "    const tessera_offset i" + number + " = rest % a.extent" + number + ";\n    rest /= a.extent" +
               number + ";\n";
    }
  }

  /// The head of a loop over the elements of a tile that a thread has: with x along one axis and y along the other.
  void write_loop(const std::string& along_last, const std::string& along_other) {
    text_ += "#pragma unroll\n    for (int k = 0; k < " + edge() +
             "; k += " + std::to_string(device::launching::tile_threads / variant_.edge) +
             ") {\n      const tessera_index at_last = column + " + along_last + ", at_other = row + " + along_other +
             ";\n      if (at_last >= a.extent" + last() + " || at_other >= a.extent" + other() +
             ") continue;\n      const tessera_offset i" + last() + " = at_last, i" + other() + " = at_other;\n";
  }

  void write_staging() {
    for (std::size_t k = 1; k < operands(); ++k) {
      if (!is_staged(k)) continue;
      write_loop("y + k", "x");
      text_ +=
          "      " + tile(k) + "[(y + k) * " + std::to_string(pitch(k)) + " + x] = *(" + address(k) + ");\n    }\n";
    }
    text_ += "    __syncthreads();\n";
  }

  void write_results() {
    write_loop("x", "y + k");
    for (std::size_t k = 1; k < operands(); ++k) {
      const std::string from = is_staged(k) ? tile(k) + " + x * " + std::to_string(pitch(k)) + " + y + k" : address(k);
      text_ += "      const " + value_type(k - 1) + " " + operand_name(k) + " = " + value_of(k, from) + ";\n";
    }
    text_ += "      tessera_store(" + address(0) + ", tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) text_ += ", " + operand_name(k);
    text_ += "));\n    }\n    __syncthreads();\n";
  }
};

}  // namespace

std::string device_kernel(const DeviceElement& element, const DeviceVariant& variant) {
  return variant.edge == 0 ? ElementwiseWriter(element, variant).write() : TiledWriter(element, variant).write();
}

std::string device_support(const DeviceElement& element, DType target) {
  const auto is_complex = [](DType dtype) { return kind(dtype) == Kind::complex; };
  const bool complex = std::ranges::any_of(element.leaves, is_complex) || is_complex(element.value) ||
                       is_complex(target) || element.body.find("tessera_complex") != std::string_view::npos;
  std::string support = std::string(device_prelude) + (complex ? device_complex : "") + device_storage;
  std::vector<const char*> added;
  for (const DeviceGenerator& generator : element.generators) {
    if (std::ranges::find(added, generator.code) != added.end()) continue;
    support += generator.code;
    added.push_back(generator.code);
  }
  return support;
}

}  // namespace tessera::plan
