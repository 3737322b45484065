module;
#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
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

// The text of explanations: the tree and its parts. Plans and costs are in explained_plan.cpp.
namespace tessera::plan {

namespace {

template <class Number>
std::string number_text(const void* bytes) {
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (sizeof(Number) == 1) return std::to_string(static_cast<int>(value));
  char text[64];
  const auto end = std::to_chars(text, text + sizeof text, value);
  return {text, end.ptr};
}

template <class Part>
std::string complex_text(const void* bytes) {
  std::complex<Part> value;
  std::memcpy(&value, bytes, sizeof value);
  const Part parts[] = {value.real(), value.imag()};
  return "(" + number_text<Part>(parts) + ", " + number_text<Part>(parts + 1) + ")";
}

void pad(std::string& text, std::size_t column) { text.resize(std::max(text.size() + 1, column), ' '); }

std::string tree_text(const ExplainedStage& stage) {
  std::size_t label_end = 0;
  std::size_t shape_end = 0;
  for (const ExplainedNode& node : stage.nodes) {
    label_end = std::max(label_end, 2 + 2 * static_cast<std::size_t>(node.depth) + node.label.size() + 2);
    shape_end = std::max(shape_end, node.shape.size() + 2);
  }
  std::string text = "Tree\n";
  for (const ExplainedNode& node : stage.nodes) {
    std::string line(2 + 2 * static_cast<std::size_t>(node.depth), ' ');
    line += node.label;
    pad(line, label_end);
    line += name(node.dtype);
    pad(line, label_end + 12);
    line += node.shape;
    if (!node.detail.empty()) {
      pad(line, label_end + 12 + shape_end);
      line += node.detail;
    }
    text += line + "\n";
  }
  return text;
}

void add_once(std::vector<DType>& types, DType dtype) {
  if (std::ranges::find(types, dtype) == types.end()) types.push_back(dtype);
}

std::string names(const std::vector<DType>& types) {
  std::string text;
  for (const DType dtype : types) text += (text.empty() ? "" : ", ") + std::string(name(dtype));
  return text;
}

std::string types_text(const ExplainedStage& stage) {
  std::vector<DType> read;
  std::vector<DType> computed;
  for (const DType dtype : stage.leaf_types) add_once(read, dtype);
  for (const ExplainedOperation& operation : stage.operations) add_once(computed, operation.common);
  std::string text = "Types\n  ";
  if (!read.empty()) text += "reads " + names(read) + "; ";
  if (!computed.empty()) text += "computes in " + names(computed) + "; ";
  return text + "writes " + std::string(name(stage.written)) + "\n";
}

std::string per_element(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, 2);
  return {text, end.ptr};
}

std::string signature(const ExplainedOperation& operation) {
  return operation.name + " (" + names(operation.arguments) + ")";
}

std::string vectorisation_of(const ExplainedOperation& operation) {
  if (operation.vectorises) return *operation.vectorises ? "vector, as it declares" : "scalar, as it declares";
  const OperationSpeed speed = measure(operation);
  if (!speed.known()) return "not known: it threw on the sample values";
  return (speed.vectorises() ? "vector: " : "scalar: ") + per_element(speed.kernel) + " ns an element, " +
         per_element(speed.scalar) + " one by one";
}

std::string vectorisation_text(const ExplainedStage& stage) {
  if (stage.operations.empty()) return "";
  std::vector<const ExplainedOperation*> shown;
  std::size_t end = 0;
  for (const ExplainedOperation& operation : stage.operations) {
    const auto same = [&](const ExplainedOperation* other) { return other->kernel == operation.kernel; };
    if (std::ranges::any_of(shown, same)) continue;
    shown.push_back(&operation);
    end = std::max(end, signature(operation).size() + 4);
  }
  std::string text =
      "Vectorisation (" + std::string(device::name(device::isa())) + ", each operation timed in the L1 cache)\n";
  for (const ExplainedOperation* operation : shown) {
    std::string line = "  " + signature(*operation);
    pad(line, end);
    text += line + vectorisation_of(*operation) + "\n";
  }
  return text;
}

std::string indented(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    if (text.front() != '\n') result += "  ";
    result += text.substr(0, end);
    text.remove_prefix(end);
  }
  return result;
}

std::string device_text_of(const ExplainedStage& stage) {
  if (stage.kind == ExplainedStage::Kind::product) {
    return stage.product.way == ProductWay::device_kernel ? "CUDA\n  a kernel of this library for any strides\n"
                                                          : "CUDA\n  none: matrix products are cuBLAS's\n";
  }
  if (stage.kind == ExplainedStage::Kind::moved) {
    return stage.operations.empty()
               ? "CUDA\n  none for the expression: a kernel of this library moves elements as they are\n"
               : "CUDA\n  that of each operand by itself, over the part of the result that it is moved to\n";
  }
  if (stage.device.missing != nullptr) {
    const auto missing = std::ranges::find_if(stage.operations, [&](const ExplainedOperation& operation) {
      return stage.device.missing == operation.name || operation.name.starts_with("F<");
    });
    const std::string name = missing == stage.operations.end() ? stage.device.missing : missing->name;
    return "CUDA\n  none: " + name + " has no device text; give it a member `static constexpr const char* device`\n";
  }
  if (stage.kind == ExplainedStage::Kind::reduction || stage.kind == ExplainedStage::Kind::normalisation) {
    const std::string result = std::string(stage.device.result);
    return "CUDA (each value that is reduced, " + result + ")\n" +
           (stage.device.body.empty() ? "  its operand as it is\n" : std::string(stage.device.body));
  }
  if (stage.plan.elements == 0) return "CUDA\n  none: there are no elements\n";
  const DeviceVariant variant = device_variant(stage.plan, stage.device, stage.written);
  return "CUDA (" + to_string(variant) + ")\n" + indented(device_kernel(stage.device, variant));
}

}  // namespace

std::string layout_text(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides,
                        std::string_view place) {
  std::size_t expected = 1;  // wraps where there are no elements, and extents that no memory has
  bool contiguous = true;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    contiguous = contiguous && (shape[axis] == 1 || static_cast<std::size_t>(strides[axis]) == expected);
    expected *= static_cast<std::size_t>(shape[axis]);
  }
  return "strides " + core::shape_text(strides) + (contiguous ? ", contiguous" : "") + ", on " + std::string(place);
}

std::string value_text(DType dtype, const void* bytes) {
  switch (dtype) {
    case DType::boolean: return *static_cast<const bool*>(bytes) ? "true" : "false";
    case DType::int8: return number_text<std::int8_t>(bytes);
    case DType::int16: return number_text<std::int16_t>(bytes);
    case DType::int32: return number_text<std::int32_t>(bytes);
    case DType::int64: return number_text<std::int64_t>(bytes);
    case DType::uint8: return number_text<std::uint8_t>(bytes);
    case DType::uint16: return number_text<std::uint16_t>(bytes);
    case DType::uint32: return number_text<std::uint32_t>(bytes);
    case DType::uint64: return number_text<std::uint64_t>(bytes);
    case DType::float64: return number_text<double>(bytes);
    case DType::complex64: return complex_text<float>(bytes);
    case DType::complex128: return complex_text<double>(bytes);
    default: return number_text<float>(bytes);
  }
}

std::string reduced_axes_text(std::span<const bool> reduced) {
  std::string axes;
  for (std::size_t axis = 0; axis < reduced.size(); ++axis) {
    if (reduced[axis]) axes += (axes.empty() ? "" : ", ") + std::to_string(axis);
  }
  return (axes.find(',') == std::string::npos ? "along axis " : "along axes ") + axes;
}

void* nowhere(std::size_t number) {
  constexpr int bits_of_addresses = 48;
  return reinterpret_cast<void*>((std::uintptr_t{number} + 1) << bits_of_addresses);
}

std::string type_name(std::string_view function_name) {
  constexpr std::string_view mark = "[T = ";
  const std::size_t begin = function_name.rfind(mark);
  if (begin == std::string_view::npos) return "Op";  // another compiler's text
  std::string_view type = function_name.substr(begin + mark.size());
  type.remove_suffix(1);  // the bracket that ends the list of template arguments
  constexpr std::string_view anonymous = "(anonymous namespace)::";
  if (type.starts_with(anonymous)) type.remove_prefix(anonymous.size());
  return std::string(type);
}

std::string to_string(const Explanation& explanation) {
  std::string text;
  for (std::size_t number = 1; number <= explanation.stages.size(); ++number) {
    const ExplainedStage& stage = explanation.stages[number - 1];
    if (explanation.stages.size() > 1) {
      text += (number == 1 ? "Stage " : "\nStage ") + std::to_string(number) + " of " +
              std::to_string(explanation.stages.size()) + ": " + stage.title + ", into " + stage.target + "\n";
    }
    text += tree_text(stage) + types_text(stage) + plan_text(stage) + cost_text(stage) + vectorisation_text(stage) +
            device_text_of(stage);
  }
  return text;
}

}  // namespace tessera::plan
