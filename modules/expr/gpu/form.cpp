module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// The kernels of expressions that this process has loaded.
namespace tessera::plan {

namespace {

/// Writes one statement for each operation; values are named x0, x1, ... for leaves, s0, ... for scalars, v0, ... for what is computed.
class ElementWriter {
 public:
  void put(const DeviceOperation& operation) {
    switch (operation.kind) {
      case DeviceOperation::Kind::missing: return note_missing(operation);
      case DeviceOperation::Kind::leaf:
        values_.push_back({"x" + std::to_string(leaves.size()), computed(operation.value)});
        leaves.push_back(operation.value);
        return;
      case DeviceOperation::Kind::scalar:
        values_.push_back({"s" + std::to_string(scalars.size()), operation.value});
        scalars.push_back(operation.value);
        return;
      case DeviceOperation::Kind::generated: return put_generated(operation);
      case DeviceOperation::Kind::map: break;
    }
    if (operation.text == nullptr) note_missing(operation);
    put_map(operation);
  }

  const std::string& result() const { return values_.back().name; }
  DType result_type() const { return values_.back().type; }

  std::string body;
  std::vector<DType> leaves, scalars;
  std::vector<DeviceGenerator> generators;
  const char* missing = nullptr;

 private:
  struct Value {
    std::string name;
    DType type;
  };

  static DType computed(DType dtype) {
    return dtype == DType::float16 || dtype == DType::bfloat16 ? DType::float32 : dtype;
  }

  void note_missing(const DeviceOperation& operation) {
    if (missing == nullptr) missing = operation.name;
    if (operation.kind == DeviceOperation::Kind::missing) values_.push_back({"", operation.value});
  }

  /// A leaf that is computed from the scalar before it and from its position.
  void put_generated(const DeviceOperation& operation) {
    const std::string seed = values_.back().name;
    values_.back() = {"x" + std::to_string(leaves.size()), operation.value};
    generators.push_back({.leaf = leaves.size(), .text = operation.text, .seed = seed, .code = operation.code});
    leaves.push_back(operation.value);
  }

  void put_map(const DeviceOperation& operation) {
    const auto first = values_.end() - operation.arguments;
    const std::vector<Value> arguments(first, values_.end());
    values_.erase(first, values_.end());
    const std::string name = "v" + std::to_string(computed_++);
    body += "  const " + std::string(device_name(operation.value)) + " " + name + " = ";
    // A user's function may return 16 bits; what it delivers is the float with that value.
    const bool rounds = operation.common < 0 && operation.stored != operation.value;
    if (rounds) body += operation.stored == DType::float16 ? "tessera_round_float16(" : "tessera_round_bfloat16(";
    if (operation.text != nullptr) put_text(operation, arguments);
    body += rounds ? ");\n" : ";\n";
    values_.push_back({name, operation.value});
  }

  /// The operation's text with $0, $1, ... replaced by the arguments.
  void put_text(const DeviceOperation& operation, const std::vector<Value>& arguments) {
    for (const char* c = operation.text; *c != '\0'; ++c) {
      if (*c != '$') {
        body += *c;
        continue;
      }
      const Value& argument = arguments[static_cast<std::size_t>(*++c - '0')];
      if (operation.common < 0 || argument.type == static_cast<DType>(operation.common)) {
        body += argument.name;
      } else {
        body += "tessera_cast<" + std::string(device_name(static_cast<DType>(operation.common))) + ">(" +
                argument.name + ")";
      }
    }
  }

  std::vector<Value> values_;
  int computed_ = 0;
};

/// An element with the memory that it refers to.
struct BuiltElement {
  explicit BuiltElement(std::span<const DeviceOperation> operations) {
    for (const DeviceOperation& operation : operations) writer.put(operation);
    element.body = writer.body;
    element.result = writer.result();
    element.value = writer.result_type();
    element.leaves = writer.leaves;
    element.scalars = writer.scalars;
    element.generators = writer.generators;
    element.missing = writer.missing;
  }

  ElementWriter writer;
  DeviceElement element;
};

const LoadedKernel* find(const DeviceForm& form, const DeviceKernelKey& key) {
  const LoadedKernel* loaded = form.kernels.load(std::memory_order_acquire);
  while (loaded != nullptr && !(loaded->key == key)) loaded = loaded->next;
  return loaded;
}

}  // namespace

const DeviceElement& element_of(DeviceForm& form) {
  const DeviceElement* element = form.element.load(std::memory_order_acquire);
  if (element != nullptr) return *element;
  auto built = std::make_unique<BuiltElement>(form.operations);
  if (form.element.compare_exchange_strong(element, &built->element, std::memory_order_acq_rel))
    return built.release()->element;  // lives as long as the program
  return *element;                    // another thread was faster
}

Scalars scalars_of(const DeviceForm& form, const void* node) {
  Scalars scalars;
  if (form.append_scalars == nullptr) return scalars;
  const auto count = std::ranges::count(form.operations, DeviceOperation::Kind::scalar, &DeviceOperation::kind);
  scalars.resize(static_cast<std::size_t>(count * scalar_slot));
  form.append_scalars(node, scalars.data());
  return scalars;
}

const device::Kernel& kernel_of_form(DeviceForm& form, const DeviceKernelKey& key,
                                     const std::function<std::string()>& write) {
  if (const LoadedKernel* loaded = find(form, key)) return *loaded->kernel;
  static std::mutex mutex;  // two threads with one wish: find_kernel compiles once, and one of them extends the list
  const device::Kernel& kernel =
      device::find_kernel(key.place, write(), std::string(form.name.text()) + ", " + to_string(key.variant));
  const std::lock_guard lock(mutex);
  if (const LoadedKernel* loaded = find(form, key)) return *loaded->kernel;
  auto fresh = std::make_unique<LoadedKernel>(
      LoadedKernel{.key = key, .kernel = &kernel, .next = form.kernels.load(std::memory_order_relaxed)});
  form.kernels.store(fresh.release(), std::memory_order_release);  // lives as long as the program
  return kernel;
}

}  // namespace tessera::plan
