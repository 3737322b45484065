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
    write_sizes();
    write_element();
    write_kernel();
    return std::move(text_);
  }

 private:
  /// Arguments, with what finds quotients by an extent, which for the last axis counts packs.
  void write_sizes() {
    std::string sizes = "tessera_index count;\n";
    for (int axis = 1; axis < variant_.rank; ++axis) sizes += divisor_members("extent" + std::to_string(axis));
    write_arguments(sizes);
    if (variant_.rank > 1) text_ += device::launching::quotient_support(variant_.wide);
  }

  void write_kernel() {
    const bool several = variant_.together > 1;
    text_ += several ? "extern \"C\" __global__ void __launch_bounds__(" +
                           std::to_string(device::launching::tile_threads) + ") "
                     : "extern \"C\" __global__ void ";
    text_ += "tessera_kernel(const __grid_constant__ tessera_arguments a) {\n";
    if (several) {
      write_several();
    } else {
      text_ +=
          "  const tessera_index step = static_cast<tessera_index>(gridDim.x) * blockDim.x;\n"
          "  const tessera_index thread = static_cast<tessera_index>(blockIdx.x) * blockDim.x + threadIdx.x;\n";
      if (variant_.vector > 1) write_vector_loop();
      if (variant_.vector == 1 || variant_.rank == 1) write_scalar_loop();
    }
    text_ += "}\n";
  }

  /// Several elements of a thread, as far apart as a block is wide: all are loaded before the first is computed. At the end, one by one.
  void write_several() {
    const std::string threads = std::to_string(device::launching::tile_threads);
    const std::string count = std::to_string(variant_.together);
    text_ += "  const tessera_index step = static_cast<tessera_index>(gridDim.x) * " + threads + " * " + count +
             ";\n  for (tessera_index first = static_cast<tessera_index>(blockIdx.x) * " + threads + " * " + count +
             " + threadIdx.x; first < a.count; first += step) {\n    if (first + " + threads + " * (" + count +
             " - 1) >= a.count) {\n#pragma unroll 1\n    for (tessera_index i = first; i < a.count; i += " + threads +
             ") {\n";
    write_one();
    text_ += "    }\n    return;\n    }\n";
    for (std::size_t k = 1; k < operands(); ++k) {
      if (!variant_.is_shared(k)) text_ += "    " + value_type(k - 1) + " " + several_name(k) + "[" + count + "];\n";
    }
    const std::string loop = "#pragma unroll\n    for (int k = 0; k < " + count +
                             "; ++k) {\n    const tessera_index i = first + k * " + threads + ";\n";
    text_ += loop;
    write_indices("");
    for (std::size_t k = 1; k < operands(); ++k) {
      if (!variant_.is_shared(k)) text_ += "    " + several_name(k) + "[k] = " + loaded(k, address(k)) + ";\n";
    }
    text_ += "    }\n" + loop;
    write_indices("");
    text_ += "    tessera_store(" + address(0) + ", tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) text_ += ", " + several_name(variant_.source(k)) + "[k]";
    text_ += "));\n    }\n  }\n";
  }

  static std::string several_name(std::size_t operand) { return "w" + std::to_string(operand - 1); }

  void write_scalar_loop() {
    const bool tail = variant_.vector > 1;
    const std::string in_packs = "packs * " + std::to_string(variant_.vector);
    text_ += "  for (tessera_index i = " + (tail ? in_packs + " + thread" : "thread") + "; i < a.count; i += step) {\n";
    write_one();
    text_ += "  }\n";
  }

  /// Computes and stores element number i.
  void write_one() {
    write_indices("");
    for (std::size_t k = 1; k < operands(); ++k) write_load(k);
    text_ += "    tessera_store(" + address(0) + ", tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) text_ += ", " + operand_name(k);
    text_ += "));\n";
  }

  void write_vector_loop() {
    const std::string count = std::to_string(variant_.vector);
    text_ += "  const tessera_index packs = a.count / " + count +
             ";\n  for (tessera_index i = thread; i < packs; i += step) {\n";
    write_indices(" * " + count);
    for (std::size_t k = 1; k < operands(); ++k) {
      if (variant_.access[k] == Access::unit) {
        if (!variant_.is_shared(k)) write_pack(k);
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

  /// Neighbours by one access, or by one call if they are generated.
  void write_pack(std::size_t operand) {
    const std::string name = "p" + std::to_string(operand - 1);
    if (std::ranges::find(element_.generators, operand - 1, &DeviceGenerator::leaf) == element_.generators.end()) {
      text_ += "    const " + pack(operand) + " " + name + " = *reinterpret_cast<const " + pack(operand) + "*>(" +
               address(operand) + ");\n";
      return;
    }
    std::string call = loaded(operand, address(operand));
    call.insert(call.size() - 1, ", " + name + ".values");
    text_ += "    " + pack(operand) + " " + name + ";\n    " + call + ";\n";
  }

  std::string pack(std::size_t operand) const {
    return "tessera_pack<" + type_of(operand) + ", " + std::to_string(variant_.vector) + ">";
  }

  /// i0, i1, ...: the position along each axis of what has number i; the last one scaled.
  void write_indices(const std::string& scale) {
    if (variant_.rank == 1) {
      text_ += "    const tessera_offset i0 = i" + scale + ";\n";
      return;
    }
    std::string rest = "i";
    for (int axis = variant_.rank - 1; axis > 0; --axis) {
      const std::string number = std::to_string(axis);
      const std::string next = axis == 1 ? "i0" : "rest" + number;
      text_ += std::string("    const ") + (axis == 1 ? "tessera_offset " : "tessera_index ") + next + " = " +
               quotient(rest, "extent" + number) + ";\n" + "    const tessera_offset i" + number + " = (" + rest +
               " - " + next + " * a.extent" + number + ")" + (axis == variant_.rank - 1 ? scale : "") + ";\n";
      rest = next;
    }
  }
};

/// Builds the text for an expression some of whose operands are contiguous along another axis than the target: a block takes a tile of the two axes,
/// reads those operands along their own axis into shared memory, and computes along the target's.
class TiledWriter : public KernelWriter {
 public:
  using KernelWriter::KernelWriter;

  std::string write() {
    write_types();
    write_sizes();
    write_element();
    text_ += "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(device::launching::tile_threads) +
             ") tessera_kernel(const __grid_constant__ tessera_arguments a) {\n";
    write_memory();
    text_ += "  const unsigned int x = threadIdx.x % " + edge() + ", y = threadIdx.x / " + edge() +
             ";\n  for (tessera_index tile = blockIdx.x; tile < a.count; tile += gridDim.x) {\n";
    write_place();
    write_staging();
    write_results();
    text_ += "  }\n}\n";
    return std::move(text_);
  }

 private:
  std::string edge() const { return std::to_string(variant_.edge); }
  std::string last() const { return std::to_string(variant_.rank - 1); }
  std::string other() const { return std::to_string(variant_.axis); }
  bool is_cut(int axis) const { return axis == variant_.axis || axis + 1 == variant_.rank; }
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

  /// Arguments, with how many tiles a plane has and a band of one, the height of the last band, and what finds quotients by them.
  void write_sizes() {
    std::string sizes = "tessera_index count;\n";
    for (const char* name : {"plane", "band", "height"}) sizes += divisor_members(name);
    for (int axis = 0; axis < variant_.rank; ++axis) {
      const std::string name = "extent" + std::to_string(axis);
      sizes += is_cut(axis) ? "  tessera_index " + name + ";\n" : divisor_members(name);
    }
    write_arguments(sizes);
    text_ += device::launching::quotient_support(variant_.wide);
  }

  /// Where the tile begins: `column` along the last axis, `row` along the other, and the positions along all others. Tiles are visited in bands of
  /// tile_band rows of them, column by column: what reads along one axis and what reads along the other both come back to the same lines of the
  /// cache soon.
  void write_place() {
    const std::string rows = std::to_string(tile_band);
    text_ += variant_.rank == 2 ? "    const tessera_index in_plane = tile;\n"
                                : "    const tessera_index plane = " + quotient("tile", "plane") +
                                      ";\n    const tessera_index in_plane = tile - plane * a.plane;\n";
    text_ += "    const tessera_index band = " + quotient("in_plane", "band") +
             ";\n"
             "    const tessera_index in_band = in_plane - band * a.band;\n"
             "    const bool is_full = a.plane - band * a.band >= a.band;\n"
             "    const tessera_index tile_column = is_full ? in_band / " +
             rows + " : " + quotient("in_band", "height") +
             ";\n"
             "    const tessera_index column = tile_column * " +
             edge() + ", row = (band * " + rows + " + in_band - tile_column * (is_full ? " + rows + " : a.height)) * " +
             edge() + ";\n";
    std::string rest = "plane";
    const int first = variant_.axis == 0 ? 1 : 0;
    for (int axis = variant_.rank - 2; axis >= first; --axis) {
      if (is_cut(axis)) continue;
      const std::string number = std::to_string(axis), next = "rest" + number;
      if (axis == first) {
        text_ += "    const tessera_offset i" + number + " = " + rest + ";\n";
        continue;
      }
      text_ += "    const tessera_index " + next + " = " + quotient(rest, "extent" + number) +
               ";\n    const tessera_offset i" + number + " = " + rest + " - " + next + " * a.extent" + number + ";\n";
      rest = next;
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

  static constexpr int most_early = 4;  // elements of a thread, of operands that are read before the barrier
  int elements() const { return variant_.edge * variant_.edge / device::launching::tile_threads; }
  bool is_early(std::size_t operand) const {
    return elements() <= most_early && !variant_.is_shared(operand) && variant_.access[operand] != Access::staged &&
           variant_.access[operand] != Access::constant;
  }
  std::string early(std::size_t operand) const {
    return "early" + std::to_string(operand - 1) + "[k / " +
           std::to_string(device::launching::tile_threads / variant_.edge) + "]";
  }

  /// What is read along the target's axis anyway is loaded while the tiles are on their way.
  void write_early() {
    std::string loads;
    for (std::size_t k = 1; k < operands(); ++k) {
      if (!is_early(k)) continue;
      text_ +=
          "    " + value_type(k - 1) + " early" + std::to_string(k - 1) + "[" + std::to_string(elements()) + "];\n";
      loads += "      " + early(k) + " = " + loaded(k, address(k)) + ";\n";
    }
    if (loads.empty()) return;
    write_loop("x", "y + k");
    text_ += loads + "    }\n";
  }

  void write_staging() {
    write_early();
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
      text_ += "      const " + value_type(k - 1) + " " + operand_name(k) + " = " +
               (is_early(k) ? early(k) : value_of(k, from)) + ";\n";
    }
    text_ += "      tessera_store(" + address(0) + ", tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) text_ += ", " + operand_name(k);
    text_ += "));\n    }\n    __syncthreads();\n";
  }
};

}  // namespace

std::string device_kernel(const DeviceElement& element, const DeviceVariant& variant) {
  if (variant.in_rows) return rows_kernel(element, variant);
  return variant.edge == 0 ? ElementwiseWriter(element, variant).write() : TiledWriter(element, variant).write();
}

std::string device_support(const DeviceElement& element, DType target) {
  const auto is_complex = [](DType dtype) { return kind(dtype) == Kind::complex; };
  const bool complex = std::ranges::any_of(element.leaves, is_complex) || is_complex(element.value) ||
                       is_complex(target) || element.body.find("tessera_complex") != std::string_view::npos;
  std::string support = std::string(device_prelude) + (complex ? device_complex : "") + device_storage;
  const auto& generators = element.generators;
  for (std::size_t k = 0; k < generators.size(); ++k) {
    const std::string_view code = generators[k].code;
    bool is_written = false;  // by an earlier one, or by one that begins with it
    for (std::size_t other = 0; other < generators.size(); ++other) {
      const std::string_view text = generators[other].code;
      is_written = is_written || (text.starts_with(code) && (other < k || text.size() > code.size()));
    }
    if (!is_written) support += code;
  }
  return support;
}

}  // namespace tessera::plan
