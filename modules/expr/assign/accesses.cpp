module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// Waiting for what an assignment needs, ordering streams after it, and submitting it.
namespace tessera {

AssignmentAccesses::AssignmentAccesses(const Buffer* written, const plan::Written& memory)
    : AssignmentAccesses(written, memory, false, false) {}

AssignmentAccesses::AssignmentAccesses(const Buffer* written, const plan::Written& memory, bool rewrites, bool divides)
    : LeafVisitor{.visit = add, .visit_parameter = add_parameter},
      written_(written),
      memory_(memory),
      rewrites_(rewrites),
      knows_views_(views_have_vars.load(std::memory_order_relaxed)),
      divides_(knows_views_ && divides),
      known_(written != nullptr) {}

AssignmentAccesses::AssignmentAccesses(const ParameterSlot& written) noexcept
    : LeafVisitor{.visit = add, .visit_parameter = add_parameter},
      written_(nullptr),
      memory_(),
      rewrites_(true),
      knows_views_(false),
      divides_(false),
      written_parameter_(&written) {}

bool AssignmentAccesses::add_parameter(const plan::LeafVisitor& visitor, const ParameterSlot& slot) {
  static_cast<const AssignmentAccesses&>(visitor).parameters_.push_back(&slot);
  return false;  // go on
}

bool AssignmentAccesses::add(const plan::LeafVisitor& visitor, const plan::Written& memory, const BufferShare* share) {
  const auto& self = static_cast<const AssignmentAccesses&>(visitor);
  const Buffer* const buffer = share == nullptr ? nullptr : share->get();
  if (buffer == nullptr) {
    self.known_ = false;
    return false;  // go on
  }
  if (self.knows_views_ && (self.divides_ || buffer->has_view_vars())) {
    self.views_.push_back({.buffer = buffer, .bytes = Footprint(memory), .reads = true, .writes = false});
  } else if (self.count_ < few) {
    self.first_[self.count_++] = buffer;
  } else {
    self.more_.push_back(buffer);
  }
  return false;
}

template <class Visit>
void AssignmentAccesses::for_each_operand(const Visit& visit) const {
  for (const ViewAccess& view : views_) visit(*view.buffer);
  for (std::size_t i = 0; i < count_; ++i) visit(*first_[i]);
  for (const Buffer* buffer : more_) visit(*buffer);
}

void AssignmentAccesses::settle(Place place) const {
  if (written_ != nullptr) written_->settle_ops(Purpose::rewrite, memory_);
  for (const ViewAccess& view : views_) view.buffer->settle_ops_for_reading(view.bytes);
  for (std::size_t i = 0; i < count_; ++i) first_[i]->settle_ops_for_reading();
  for (const Buffer* buffer : more_) buffer->settle_ops_for_reading();
  if (place.on_host()) settle_streams();
}

void AssignmentAccesses::settle_streams() const {
  if (written_ != nullptr) written_->settle_streams(Purpose::rewrite);
  for_each_operand([](const Buffer& buffer) { buffer.settle_streams(Purpose::read); });
}

std::vector<device::StreamMark> AssignmentAccesses::unreached() const {
  std::vector<device::StreamMark> marks;
  if (written_ != nullptr) written_->add_unreached(Purpose::rewrite, marks);
  for_each_operand([&](const Buffer& buffer) { buffer.add_unreached(Purpose::read, marks); });
  return marks;
}

void AssignmentAccesses::order(device::Stream& stream) const {
  if (written_ != nullptr && written_->uses() != nullptr) written_->uses()->order_write(stream);
  for_each_operand([&](const Buffer& buffer) {
    if (buffer.uses() != nullptr) buffer.uses()->order_read(stream);
  });
}

void AssignmentAccesses::note(const device::StreamMark& mark) const {
  for_each_operand([&](const Buffer& buffer) {
    if (buffer.uses() != nullptr && &buffer != written_) buffer.uses()->note_read(mark);
  });
  if (written_ != nullptr && written_->uses() != nullptr) written_->uses()->note_write(mark);
}

void AssignmentAccesses::end() const { written_->forget_failure(memory_); }

void AssignmentAccesses::declare_buffers(Engine& engine, OpState& op) const {
  reserve_accesses(op, 1 + parameters_.size() + views_.size() + count_ + more_.size());
  const bool is_recorded = thread_context().recorder != nullptr;
  const auto declare = [&](const Buffer& buffer, std::uintptr_t bits) {
    if (is_recorded) static_cast<void>(buffer.var());  // replays name the buffer, whatever its views have by then
    add_access(op, buffer.var_for(engine), bits);
  };
  // What is left of a failed op's elements where only some are written is as wrong as before. Of a parameter it is known in each replay.
  if (written_parameter_ != nullptr) {
    add_access(op, stand_in_of(*written_parameter_), Access::write_bit);
  } else {
    declare(*written_, rewrites_ ? Access::write_bit : Access::write_bit | Access::read_bit);
  }
  for (const ParameterSlot* slot : parameters_) add_access(op, stand_in_of(*slot), Access::read_bit);
  for (const ViewAccess& view : views_) declare(*view.buffer, Access::read_bit);
  for (std::size_t i = 0; i < count_; ++i) declare(*first_[i], Access::read_bit);
  for (const Buffer* buffer : more_) declare(*buffer, Access::read_bit);
}

void AssignmentAccesses::submit_by_views(Engine& engine, OpState& op) const {
  views_.push_back({.buffer = written_, .bytes = Footprint(memory_), .reads = false, .writes = true});
  for (std::size_t i = 0; i < count_ + more_.size(); ++i) {
    const Buffer& buffer = i < few ? *first_[i] : *more_[i - few];
    views_.push_back({.buffer = &buffer, .bytes = footprint_of(buffer), .reads = true, .writes = false});
  }
  tessera::submit_by_views(engine, op, views_, divides_ ? Views::disjoint : Views::whole);
}

void AssignmentAccesses::submit(Engine& engine, UnsubmittedOp op) const {
  const auto has_view_vars = [](const ViewAccess& access) { return access.buffer->has_view_vars(); };
  const bool is_recorded = thread_context().recorder != nullptr;
  const bool divides = divides_ && !rewrites_;
  if (!is_recorded &&
      (divides || (knows_views_ && (written_->has_view_vars() || std::ranges::any_of(views_, has_view_vars))))) {
    submit_by_views(engine, *op);
  } else {
    declare_buffers(engine, *op);
    try {
      engine.submit(*op);
    } catch (const VarIsDivided&) {  // by another thread, just now
      forget_accesses(*op);
      submit_by_views(engine, *op);
    }
  }
  static_cast<void>(op.release());
}

}  // namespace tessera
