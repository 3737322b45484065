module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// Running programs.
namespace tessera::dynamic {

namespace {

constexpr std::ptrdiff_t register_memory =
    std::ptrdiff_t{24} * 1024;  // fits the L1 cache beside what is read and written
constexpr std::ptrdiff_t most_chunk = 1024;
constexpr std::ptrdiff_t least_chunk = 64;

/// n copies of an element.
void copy_often(std::byte* to, const void* element, std::ptrdiff_t item, std::ptrdiff_t n) {
  const auto size = static_cast<std::size_t>(item);
  if (n <= 0) return;
  std::memcpy(to, element, size);
  for (std::ptrdiff_t done = 1; done < n;) {
    const std::ptrdiff_t more = std::min(done, n - done);
    std::memcpy(to + done * item, to, static_cast<std::size_t>(more) * size);
    done += more;
  }
}

DType value_type(DType dtype) {
  return kind(dtype) == Kind::floating && item_size(dtype) == 2 ? DType::float32 : dtype;
}

/// Elements as they are.
template <std::ptrdiff_t Item>
void copy_kernel(const void*, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
  if (inputs[0].along != 0) {
    std::memcpy(to, inputs[0].data, static_cast<std::size_t>(n * Item));
  } else {
    copy_often(static_cast<std::byte*>(to), inputs[0].data, Item, n);
  }
}

plan::Kernel copy_of(std::ptrdiff_t item) {
  switch (item) {
    case 1: return copy_kernel<1>;
    case 2: return copy_kernel<2>;
    case 4: return copy_kernel<4>;
    case 8: return copy_kernel<8>;
    default: return copy_kernel<16>;
  }
}

/// The way from an expression's result to elements of type `to`; no kernel if the last step writes them.
Variant last_step(const DExpression& expression, DType to) {
  const Leaf* const leaf = expression.as_leaf();
  if (expression.dtype() != to && !assignable(expression.dtype(), to)) {
    throw DTypeError(to_string(Failure{.operation = "assignment",
                                       .problem = std::string(name(expression.dtype())) + " elements do not become " +
                                                  std::string(name(to)) + " elements by themselves: only floats narrow",
                                       .operands = {"the right side is " + core::shape_text(expression.extents())},
                                       .advice = "write cast(x, dtype)"}));
  }
  if (leaf != nullptr && leaf->dtype == to) return {copy_of(item_size(to)), nullptr, to};
  const DType values = value_type(expression.dtype());
  if (values == to) return {};
  return store_of(values, to);
}

}  // namespace

Interpreter::Interpreter(const DExpression& expression, DType to, std::ptrdiff_t elements)
    : leaves_(expression.steps().leaves.size()),
      constants_(expression.steps().constants.size()),
      result_item_(item_size(to)) {
  const Steps& steps = expression.steps();
  items_.resize(leaves_);
  for (std::size_t k = 0; k < leaves_; ++k) items_[k] = static_cast<std::uint8_t>(item_size(steps.leaves[k].dtype));
  std::array<Step, 2> more;
  std::size_t added = 0;
  Term result = expression.term();
  const auto append = [&](const Variant& variant) {
    more[added] = {variant.kernel, variant.nodes, variant.result, 1, {result}, variant.device};
    result = {Term::Kind::step, static_cast<std::uint16_t>(steps.steps.size() + added++)};
  };
  const Variant last = last_step(expression, to);
  const bool copies = expression.as_leaf() != nullptr && expression.as_leaf()->dtype == to;
  if (const Leaf* leaf = expression.as_leaf(); leaf != nullptr && !copies) {
    if (const Variant load = load_of(leaf->dtype); load.kernel != nullptr) append(load);
  }
  if (last.kernel != nullptr) append(last);
  const std::size_t count = steps.steps.size() + added;
  instructions_.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const Step& step = k < steps.steps.size() ? steps.steps[k] : more[k - steps.steps.size()];
    Instruction& instruction = instructions_[k];
    instruction.kernel = step.kernel;
    instruction.nodes = step.nodes;
    instruction.from = {};
    instruction.arguments = step.arguments;
    instruction.item = static_cast<std::uint8_t>(item_size(step.result));
  }
  place_registers(steps, std::span(more).first(added));
  copy_constants(steps, elements);
}

/// Each step's values are read once, by a later step, so that registers are a list of free ones. A step may write where it reads
/// elements of the same size: kernels read what they compute a step of before they write it.
void Interpreter::place_registers(const Steps& steps, std::span<const Step> more) {
  const std::size_t count = instructions_.size();
  const std::size_t first = leaves_ + constants_;
  places_.resize(count);
  SmallArray<std::uint16_t, 16> free(count + 1);
  std::size_t free_count = 0;
  std::ptrdiff_t widest = 1;
  std::ptrdiff_t narrowest = result_item_;
  for (std::size_t k = 0; k < count; ++k) {
    const Step& step = k < steps.steps.size() ? steps.steps[k] : more[k - steps.steps.size()];
    Instruction& instruction = instructions_[k];
    std::ptrdiff_t in_place = -1;
    for (std::size_t a = 0; a < step.arguments; ++a) {
      const Term term = step.from[a];
      const std::size_t at = term.kind == Term::Kind::leaf       ? term.number
                             : term.kind == Term::Kind::constant ? leaves_ + term.number
                                                                 : places_[term.number];
      instruction.from[a] = static_cast<std::uint16_t>(at);
      if (term.kind != Term::Kind::step) continue;
      if (in_place < 0 && instructions_[term.number].item == instruction.item)
        in_place = static_cast<std::ptrdiff_t>(at);
    }
    std::size_t to = 0;
    if (in_place >= 0) {
      to = static_cast<std::size_t>(in_place);
    } else {
      to = free_count > 0 ? free[--free_count] : first + registers_++;
    }
    for (std::size_t a = 0; a < step.arguments; ++a) {
      if (step.from[a].kind == Term::Kind::step && instruction.from[a] != to) free[free_count++] = instruction.from[a];
    }
    places_[k] = instruction.to = static_cast<std::uint16_t>(to);
    widest = std::max<std::ptrdiff_t>(widest, instruction.item);
    narrowest = std::min<std::ptrdiff_t>(narrowest, instruction.item);
  }
  copies_ = plan::repeated_bytes / narrowest;
  expands_ = narrowest < result_item_;
  const auto used = static_cast<std::ptrdiff_t>(std::max<std::size_t>(registers_, 1));
  chunk_ = std::clamp(register_memory / (used * widest) / least_chunk * least_chunk, least_chunk, most_chunk);
  register_bytes_ = chunk_ * widest;
}

void Interpreter::copy_constants(const Steps& steps, std::ptrdiff_t elements) {
  constexpr std::ptrdiff_t widest = 16;
  const std::ptrdiff_t copies = std::min(copies_, elements);
  std::ptrdiff_t item = 1;
  for (const Constant& constant : steps.constants) item = std::max(item, item_size(constant.value.dtype()));
  constant_bytes_ = (copies * item + widest - 1) / widest * widest;
  constant_copies_.resize(constants_ * static_cast<std::size_t>(constant_bytes_));
  for (std::size_t k = 0; k < constants_; ++k) {
    const DValue& value = steps.constants[k].value;
    copy_often(constant_copies_.data() + static_cast<std::ptrdiff_t>(k) * constant_bytes_, value.data(),
               item_size(value.dtype()), copies);
  }
}

void Interpreter::run(const void* interpreter, void* to, const plan::Input* inputs, std::ptrdiff_t n) {
  const auto& self = *static_cast<const Interpreter*>(interpreter);
  if (self.instructions_.size() == 1 && !self.expands_)
    return self.run_in(static_cast<std::byte*>(to), inputs, n, nullptr, nullptr);
  alignas(64) std::byte few[register_memory];
  std::vector<std::byte> many;
  std::byte* registers = few;
  const std::ptrdiff_t registers_bytes = static_cast<std::ptrdiff_t>(self.registers_) * self.register_bytes_;
  if (registers_bytes > register_memory) {
    many.resize(static_cast<std::size_t>(registers_bytes));
    registers = many.data();
  }
  std::vector<std::byte> copies;
  if (self.expands_) copies.resize(self.leaves_ * static_cast<std::size_t>(self.copies_ * 16));
  self.run_in(static_cast<std::byte*>(to), inputs, n, registers, copies.data());
}

void Interpreter::run_in(std::byte* to, const plan::Input* inputs, std::ptrdiff_t n, std::byte* registers,
                         std::byte* copies) const {
  const std::size_t first_register = leaves_ + constants_;
  SmallArray<plan::Input, 24> places(first_register + registers_);
  for (std::size_t k = 0; k < leaves_; ++k) {
    places[k] = inputs[k];
    if (inputs[k].along != 0 || !expands_) continue;
    std::byte* const mine = copies + static_cast<std::ptrdiff_t>(k) * copies_ * 16;
    copy_often(mine, inputs[k].data, items_[k], std::min(copies_, n));
    places[k].repeat(mine);
  }
  for (std::size_t k = 0; k < constants_; ++k)
    places[leaves_ + k].repeat(constant_copies_.data() + static_cast<std::ptrdiff_t>(k) * constant_bytes_);
  for (std::size_t k = 0; registers != nullptr && k < registers_; ++k)
    places[first_register + k].read(registers + static_cast<std::ptrdiff_t>(k) * register_bytes_);
  const std::size_t last = instructions_.size() - 1;
  for (std::ptrdiff_t done = 0; done < n; done += chunk_) {
    const std::ptrdiff_t count = std::min(chunk_, n - done);
    for (std::size_t k = 0; k <= last; ++k) {
      const Instruction& instruction = instructions_[k];
      const plan::Input from[] = {places[instruction.from[0]], places[instruction.from[1]],
                                  places[instruction.from[2]]};
      void* const target = k == last ? to + done * result_item_ : const_cast<void*>(places[instruction.to].data);
      instruction.kernel(instruction.nodes, target, from, count);
    }
    for (std::size_t k = 0; k < leaves_; ++k) {
      if (places[k].along != 0) places[k].data = static_cast<const std::byte*>(places[k].data) + count * items_[k];
    }
  }
}

namespace {

template <std::size_t... Rank>
Forms forms_of(const schedule::BodyType& body, void (*look)(const void*, const plan::LeafVisitor&, std::ptrdiff_t*),
               std::index_sequence<Rank...>) {
  return {AssignmentForm{.body = body,
                         .look = look,
                         .rank = static_cast<int>(Rank),
                         .name = plan::ExpressionName("[Node = DExpression]")}...};
}

}  // namespace

Forms make_forms(const schedule::BodyType& body,
                 void (*look)(const void* node, const plan::LeafVisitor& visitor, std::ptrdiff_t* extents)) {
  return forms_of(body, look, std::make_index_sequence<static_cast<std::size_t>(max_rank) + 1>{});
}

}  // namespace tessera::dynamic
