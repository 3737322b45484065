module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// Lists of steps, and expressions made of them.
namespace tessera::dynamic {

void Steps::clear() {
  leaves.clear();
  constants.clear();
  steps.clear();
}

Term Steps::Shift::operator()(Term term) const {
  const std::size_t by[] = {leaves, constants, steps};
  term.number = static_cast<std::uint16_t>(term.number + by[static_cast<std::size_t>(term.kind)]);
  return term;
}

namespace {

/// Everything but the leaves, whose shares are moved or copied.
Steps::Shift append_rest(Steps& to, const Steps& from, std::size_t leaves) {
  const Steps::Shift shift{leaves, to.constants.size(), to.steps.size()};
  to.constants.insert(to.constants.end(), from.constants.begin(), from.constants.end());
  for (Step step : from.steps) {
    for (std::size_t k = 0; k < step.arguments; ++k) step.from[k] = shift(step.from[k]);
    to.steps.push_back(step);
  }
  return shift;
}

/// What a thread has given back, until it makes more.
struct Spare {
  static constexpr std::size_t most = 8;
  std::array<Steps*, most> kept{};
  std::size_t count = 0;
  bool is_gone = false;
  ~Spare() {
    is_gone = true;
    while (count > 0) delete kept[--count];
  }
};
thread_local Spare spare;

}  // namespace

Steps::Shift Steps::append(Steps&& other) {
  const std::size_t before = leaves.size();
  leaves.insert(leaves.end(), std::move_iterator(other.leaves.begin()), std::move_iterator(other.leaves.end()));
  return append_rest(*this, other, before);
}

Steps::Shift Steps::append(const Steps& other) {
  const std::size_t before = leaves.size();
  leaves.insert(leaves.end(), other.leaves.begin(), other.leaves.end());
  return append_rest(*this, other, before);
}

StepsOwner make_steps() {
  if (spare.count > 0) return StepsOwner(spare.kept[--spare.count]);
  auto made = std::make_unique<Steps>();
  made->leaves.reserve(4);
  made->constants.reserve(4);
  made->steps.reserve(8);
  return StepsOwner(made.release());
}

void Recycle::operator()(Steps* steps) const noexcept {
  constexpr std::size_t usual = 64;
  if (spare.is_gone || spare.count == Spare::most || steps->steps.capacity() > usual ||
      steps->leaves.capacity() > usual) {
    delete steps;
    return;
  }
  steps->clear();
  spare.kept[spare.count++] = steps;
}

}  // namespace tessera::dynamic

namespace tessera {

DExpression::DExpression(dynamic::Leaf leaf)
    : steps_(dynamic::make_steps()), dtype_(leaf.dtype), rank_(leaf.rank), extents_(leaf.extents) {
  steps_->leaves.push_back(std::move(leaf));
}

DExpression::DExpression(dynamic::Leaf leaf, DType dtype)
    : steps_(dynamic::make_steps()), dtype_(dtype), rank_(leaf.rank), extents_(leaf.extents) {
  steps_->leaves.push_back(std::move(leaf));
}

DExpression::DExpression(const DExpression& other)
    : steps_(dynamic::make_steps()),
      term_(other.term_),
      dtype_(other.dtype_),
      rank_(other.rank_),
      extents_(other.extents_) {
  *steps_ = *other.steps_;
}

DExpression& DExpression::operator=(const DExpression& other) {
  DExpression copy(other);
  return *this = std::move(copy);
}

DExpression::DExpression(DExpression&&) noexcept = default;
DExpression& DExpression::operator=(DExpression&&) noexcept = default;
DExpression::~DExpression() = default;

Place DExpression::place() const { return steps_->leaves.empty() ? Place() : steps_->leaves.front().place; }

std::ptrdiff_t DExpression::size() const { return product(shape()); }

const dynamic::Leaf* DExpression::as_leaf() const {
  return term_.kind == dynamic::Term::Kind::leaf ? &steps_->leaves[term_.number] : nullptr;
}

bool DExpression::any_leaf(const plan::LeafVisitor& visit) const {
  return std::ranges::any_of(steps_->leaves, [&](const dynamic::Leaf& leaf) {
    return leaf.data != nullptr && visit(leaf.memory(), &leaf.share);
  });
}

DValue DExpression::value() const {
  if (rank_ != 0) {
    throw ShapeError(to_string(Failure{
        .operation = "value",
        .problem = "the expression has the shape " + core::shape_text(extents()) + ", what has no axis is a value",
        .advice = "reduce it, or index an element"}));
  }
  DValue result = DValue::zero(dtype_);
  const auto share = storage::BufferShare::make(place(), static_cast<std::ptrdiff_t>(sizeof(std::complex<double>)));
  dynamic::assign(
      {.share = &share, .data = share->data(), .dtype = dtype_, .place = place(), .shape = {}, .strides = {}}, *this,
      true);
  share->wait(schedule::Purpose::read, {share->data(), {}, {}, item_size(dtype_)});
  device::copy_bytes(result.data(), CpuPlace{}, share->data(), place(), static_cast<std::size_t>(item_size(dtype_)));
  return result;
}

}  // namespace tessera
