module;
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The parts of CUDA text that kernels of every kind have.
namespace tessera::plan {

namespace {

/// How a leaf is generated; null if it is in memory.
const DeviceGenerator* generator_of(const DeviceElement& element, std::size_t leaf) {
  const auto found = std::ranges::find(element.generators, leaf, &DeviceGenerator::leaf);
  return found == element.generators.end() ? nullptr : &*found;
}

}  // namespace

void KernelWriter::write_types() {
  text_ += variant_.wide ? "typedef unsigned long long tessera_index;\ntypedef long long tessera_offset;\n\n"
                         : "typedef unsigned int tessera_index;\ntypedef int tessera_offset;\n\n";
}

std::string KernelWriter::type_of(std::size_t operand) const {
  return std::string(device_name(dtype_at(element_, variant_.target, operand)));
}

std::string KernelWriter::stride_name(std::size_t operand, int axis) {
  return operand_name(operand) + "_stride" + std::to_string(axis);
}

std::string KernelWriter::value_type(std::size_t leaf) const {
  const DType dtype = element_.leaves[leaf];
  const bool sixteen = dtype == DType::float16 || dtype == DType::bfloat16;
  return std::string(device_name(sixteen ? DType::float32 : dtype));
}

std::string KernelWriter::address(std::size_t operand) const {
  // The steps are added before they become an address: offsets fit tessera_offset, and additions of 64 bits take two instructions each.
  std::string steps;
  for (const int axis : stride_axes(variant_, operand))
    steps += (steps.empty() ? "i" : " + i") + std::to_string(axis) + " * a." + stride_name(operand, axis);
  if (variant_.access[operand] == Access::unit || variant_.access[operand] == Access::beside)
    steps += (steps.empty() ? "i" : " + i") + std::to_string(variant_.rank - 1);
  const std::string start = "a." + operand_name(operand);
  if (steps.empty()) return start;
  return steps.find(' ') == steps.npos ? start + " + " + steps : start + " + (" + steps + ")";
}

void KernelWriter::write_pointers() {
  text_ += "struct tessera_arguments {\n";
  for (std::size_t k = 0; k < operands(); ++k) {
    const bool is_generated = k > 0 && generator_of(element_, k - 1) != nullptr;
    text_ += is_generated ? "  unsigned long long " : (k == 0 ? "  " : "  const ") + type_of(k) + "* ";
    text_ += operand_name(k) + ";\n";
  }
}

void KernelWriter::write_scalars() {
  for (std::size_t k = 0; k < element_.scalars.size(); ++k)
    text_ += "  alignas(16) " + std::string(device_name(element_.scalars[k])) + " s" + std::to_string(k) + ";\n";
  text_ += element_.scalars.empty() ? "  " : "  alignas(16) ";
}

void KernelWriter::write_arguments(const std::string& sizes) {
  write_pointers();
  write_scalars();
  text_ += sizes;
  for (std::size_t k = 0; k < operands(); ++k) {
    for (const int axis : stride_axes(variant_, k)) text_ += "  tessera_offset " + stride_name(k, axis) + ";\n";
  }
  text_ += "};\n\n";
}

std::string KernelWriter::divisor_members(const std::string& name) {
  return "  tessera_index " + name + ", " + name + "_factor, " + name + "_shift;\n";
}

std::string KernelWriter::quotient(const std::string& number, const std::string& name) {
  return "tessera_quotient(" + number + ", a." + name + "_factor, a." + name + "_shift)";
}

void KernelWriter::write_positions(int first, int last, const std::string& number, const std::string& indent) {
  if (first == last) return;
  std::string rest = number;
  for (int axis = last - 1; axis > first; --axis) {
    const std::string number = std::to_string(axis), next = "rest" + number;
    text_ += indent + "const tessera_index " + next + " = " + quotient(rest, "extent" + number) + ";\n" + indent +
             "const tessera_offset i" + number + " = " + rest + " - " + next + " * a.extent" + number + ";\n";
    rest = next;
  }
  text_ += indent + "const tessera_offset i" + std::to_string(first) + " = " + rest + ";\n";
}

void KernelWriter::write_element() {
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
  text_ += "  return " + std::string(element_.result) + ";\n}\n\n";
}

std::string KernelWriter::loaded(std::size_t operand, const std::string& address) const {
  const DeviceGenerator* generator = generator_of(element_, operand - 1);
  if (generator == nullptr) return "tessera_load(" + address + ")";
  std::string call;
  for (std::size_t i = 0; i < generator->text.size(); ++i) {
    if (generator->text[i] != '$') {
      call += generator->text[i];
    } else {
      call += generator->text[++i] == '0' ? "a." + generator->seed : address;
    }
  }
  return call;
}

std::string KernelWriter::value_of(std::size_t operand, const std::string& address) const {
  return variant_.is_shared(operand) ? operand_name(variant_.source(operand)) : loaded(operand, address);
}

void KernelWriter::write_load(std::size_t operand) {
  text_ += "    const " + value_type(operand - 1) + " " + operand_name(operand) + " = " +
           value_of(operand, address(operand)) + ";\n";
}

void put_divisor(device::launching::Arguments& arguments, std::ptrdiff_t extent, bool wide) {
  const device::launching::Divisor divisor =
      device::launching::divisor_of(std::max<std::ptrdiff_t>(extent, 1), wide);  // of empty arrays nothing is computed
  arguments.put_index(static_cast<std::ptrdiff_t>(divisor.factor), wide);
  arguments.put_index(divisor.shift, wide);
}

void put_operands(device::launching::Arguments& arguments, std::span<const Operand> operands) {
  for (const Operand& operand : operands)
    operand.generate == nullptr ? arguments.put(operand.data) : arguments.put(operand.first);
}

void put_scalars(device::launching::Arguments& arguments, std::span<const std::byte> scalars, std::size_t count) {
  constexpr std::size_t slot = 16;  // alignas of every scalar
  for (std::size_t k = 0; k < count; ++k) arguments.put(scalars.subspan(k * slot, slot), slot);
}

}  // namespace tessera::plan
