module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// Lists of steps as lists of operations for CUDA text.
namespace tessera::dynamic {

namespace {

using plan::DeviceOperation;

/// Calls `leaf`, `constant` and `operation` for what a program has, in the order in which static expressions are written: arguments
/// before the function that takes them.
template <class OnLeaf, class OnConstant, class OnOperation>
void walk(const Steps& steps, Term term, const OnLeaf& leaf, const OnConstant& constant, const OnOperation& operation) {
  switch (term.kind) {
    case Term::Kind::leaf: return leaf(term.number);
    case Term::Kind::constant: return constant(term.number);
    case Term::Kind::step: break;
  }
  const Step& step = steps.steps[term.number];
  std::size_t argument = 0;
  for (const DeviceOperation& one : step.device) {
    if (one.kind == DeviceOperation::Kind::leaf) {
      walk(steps, step.from[argument++], leaf, constant, operation);
    } else {
      operation(one);
    }
  }
}

/// The constants, a slot for each, in the order of the operations.
void append_constants(const void* node, std::byte* to) {
  const auto& expression = *static_cast<const DExpression*>(node);
  const Steps& steps = expression.steps();
  walk(
      steps, expression.term(), [](std::size_t) {},
      [&](std::size_t number) {
        const DValue& value = steps.constants[number].value;
        std::memcpy(to, value.data(), static_cast<std::size_t>(item_size(value.dtype())));
        to += plan::scalar_slot;
      },
      [](const DeviceOperation&) {});
}

bool is_same(const DeviceOperation& a, const DeviceOperation& b) {
  return a.kind == b.kind && a.arguments == b.arguments && a.common == b.common && a.value == b.value &&
         a.stored == b.stored && a.text == b.text && a.name == b.name && a.code == b.code;
}

/// The expression as its writer would know it: operands are a, b, c in the order in which they are read, scalars are s.
std::string readable(std::span<const DeviceOperation> operations) {
  constexpr int letters = 26;
  constexpr std::string_view sign = "operator ";
  std::vector<std::string> values;
  int leaves = 0;
  for (const DeviceOperation& operation : operations) {
    if (operation.kind == DeviceOperation::Kind::leaf) {
      std::string name(1, static_cast<char>('a' + leaves % letters));
      if (leaves >= letters) name += std::to_string(leaves / letters);
      values.push_back(std::move(name));
      ++leaves;
    } else if (operation.kind == DeviceOperation::Kind::scalar) {
      values.emplace_back("s");
    } else {
      const std::string_view name = operation.name;
      const auto first = values.end() - operation.arguments;
      const bool is_infix = operation.arguments == 2 && name.starts_with(sign);
      std::string text = is_infix ? "(" : std::string(name) + "(";
      const std::string between = is_infix ? " " + std::string(name.substr(sign.size())) + " " : ", ";
      for (auto argument = first; argument != values.end(); ++argument)
        text += (argument == first ? "" : between) + *argument;
      values.erase(first, values.end());
      values.push_back(std::move(text) + ")");
    }
  }
  std::string text = std::move(values.back());
  if (text.starts_with('(')) text = text.substr(1, text.size() - 2);
  return text;
}

/// A form with the operations to which it refers.
struct KnownForm {
  std::vector<DeviceOperation> operations;
  plan::DeviceForm form;

  explicit KnownForm(std::vector<DeviceOperation> of)
      : operations(std::move(of)),
        form{.operations = operations,
             .append_scalars = append_constants,
             .name = plan::ExpressionName::written(schedule::interned(readable(operations)))} {}
};

/// The form of these operations; the same one each time.
plan::DeviceForm& form_of(std::vector<DeviceOperation> operations) {
  static std::mutex mutex;
  static auto& forms = *new std::vector<std::unique_ptr<KnownForm>>;  // they live as long as the program
  const std::lock_guard lock(mutex);
  const auto known = std::ranges::find_if(forms, [&](const std::unique_ptr<KnownForm>& form) {
    return std::ranges::equal(form->operations, operations, is_same);
  });
  if (known != forms.end()) return (*known)->form;
  return forms.emplace_back(std::make_unique<KnownForm>(std::move(operations)))->form;
}

}  // namespace

DeviceProgram device_program(const DExpression& expression, DType written) {
  const Steps& steps = expression.steps();
  std::vector<DeviceOperation> operations;
  std::vector<std::uint16_t> leaves;
  walk(
      steps, expression.term(),
      [&](std::size_t number) {
        operations.push_back({.kind = DeviceOperation::Kind::leaf, .value = steps.leaves[number].dtype});
        leaves.push_back(static_cast<std::uint16_t>(number));
      },
      [&](std::size_t number) {
        operations.push_back({.kind = DeviceOperation::Kind::scalar, .value = steps.constants[number].value.dtype()});
      },
      [&](const DeviceOperation& operation) { operations.push_back(operation); });
  return {.work = {.form = &form_of(std::move(operations)), .node = &expression, .written = written},
          .leaves = std::move(leaves)};
}

}  // namespace tessera::dynamic
