module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <source_location>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.schedule;
import tessera.array;

// The scope of a thread, and the submission of its assignments.
namespace tessera {

namespace {

constinit thread_local Async* innermost = nullptr;

}  // namespace

Async::Async(Scheduler& scheduler, const std::source_location& where)
    : engine_(scheduler.engine().get()), op_(thread_context().op), where_(where), outer_(innermost) {
  engine_->check_process();
  buffers_have_vars.store(true, std::memory_order_relaxed);
  innermost = this;
}

Async::~Async() { innermost = outer_; }

Async* current_async() noexcept {
  return innermost != nullptr && innermost->op_ == thread_context().op ? innermost : nullptr;
}

AssignmentAccesses::AssignmentAccesses(const Buffer* written, bool rewrites) noexcept
    : LeafVisitor{.visit = add, .visit_parameter = add_parameter},
      written_(written),
      rewrites_(rewrites),
      known_(written != nullptr) {}

AssignmentAccesses::AssignmentAccesses(const ParameterSlot& written) noexcept
    : LeafVisitor{.visit = add, .visit_parameter = add_parameter},
      written_(nullptr),
      rewrites_(true),
      written_parameter_(&written) {}

bool AssignmentAccesses::add_parameter(const plan::LeafVisitor& visitor, const ParameterSlot& slot) {
  static_cast<const AssignmentAccesses&>(visitor).parameters_.push_back(&slot);
  return false;  // go on
}

bool AssignmentAccesses::add(const plan::LeafVisitor& visitor, const plan::Written&, const Buffer* buffer) {
  const auto& self = static_cast<const AssignmentAccesses&>(visitor);
  if (buffer == nullptr) {
    self.known_ = false;
  } else if (self.count_ < few) {
    self.first_[self.count_++] = buffer;
  } else {
    self.more_.push_back(buffer);
  }
  return false;  // go on
}

void AssignmentAccesses::settle() const {
  if (written_ != nullptr) written_->settle(rewrites_ ? Purpose::rewrite : Purpose::change);
  for (std::size_t i = 0; i < count_; ++i) first_[i]->settle(Purpose::read);
  for (const Buffer* buffer : more_) buffer->settle(Purpose::read);
}

void AssignmentAccesses::end() const {
  if (rewrites_) written_->forget_failure();
}

void AssignmentAccesses::submit(Async& scope, UnsubmittedOp op) const {
  Engine& engine = *scope.engine_;
  OpState& state = *op;
  reserve_accesses(state, 1 + count_ + more_.size() + parameters_.size());
  const auto declare_var = [&](const auto* var, std::uintptr_t bit) {
    state.access(state.access_count++).tagged = reinterpret_cast<std::uintptr_t>(var) | bit;
  };
  const auto declare = [&](const Buffer& buffer, std::uintptr_t bit) {
    declare_var(buffer.var_for(engine).state(), bit);
  };
  // What is left of a failed op's elements where only some are written is as wrong as before. Of a parameter it is known in each replay.
  if (written_parameter_ != nullptr) {
    declare_var(stand_in_of(*written_parameter_), Access::write_bit);
  } else {
    declare(*written_, rewrites_ ? Access::write_bit : Access::write_bit | Access::read_bit);
  }
  for (const ParameterSlot* slot : parameters_) declare_var(stand_in_of(*slot), Access::read_bit);
  for (std::size_t i = 0; i < count_; ++i) declare(*first_[i], Access::read_bit);
  for (const Buffer* buffer : more_) declare(*buffer, Access::read_bit);
  engine.submit(state);
  static_cast<void>(op.release());
}

}  // namespace tessera
