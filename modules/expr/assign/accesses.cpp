module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// Waiting for the buffers of an assignment, by threads and by streams, and its submission.
namespace tessera {

AssignmentAccesses::AssignmentAccesses(const WrittenBuffer& written)
    : written_(written),
      knows_views_(written.parameter == nullptr && views_have_vars.load(std::memory_order_relaxed)),
      known_(written.buffer != nullptr || written.parameter != nullptr) {}

void AssignmentAccesses::add(const plan::Written& memory, const Buffer* buffer) {
  if (buffer == nullptr) {
    known_ = false;
  } else if (knows_views_ && (written_.divides || buffer->has_view_vars())) {
    views_.push_back({.buffer = buffer, .bytes = storage::Footprint(memory), .reads = true, .writes = false});
  } else if (count_ < few) {
    first_[count_++] = buffer;
  } else {
    more_.push_back(buffer);
  }
}

OperandVisitor::OperandVisitor(AssignmentAccesses& to)
    : LeafVisitor{.visit =
                      [](const LeafVisitor& self, const plan::Written& memory, const storage::BufferShare* share) {
                        static_cast<const OperandVisitor&>(self).accesses_.add(
                            memory, share == nullptr ? nullptr : share->get());
                        return false;  // go on
                      },
                  .visit_parameter =
                      [](const LeafVisitor& self, const schedule::ParameterSlot& slot) {
                        static_cast<const OperandVisitor&>(self).accesses_.add(slot);
                        return false;
                      }},
      accesses_(to) {}

void wait_for(const AssignmentAccesses& accesses, Place place) {
  const WrittenBuffer& written = accesses.written();
  if (written.buffer != nullptr) written.buffer->wait_for_ops(schedule::Purpose::rewrite, written.memory);
  for (const storage::ViewAccess& view : accesses.views()) view.buffer->wait_to_read(view.bytes);
  accesses.for_each_whole([](const Buffer& buffer) { buffer.wait_to_read(); });
  if (!place.on_host()) return;
  if (written.buffer != nullptr) written.buffer->wait_for_streams(schedule::Purpose::rewrite);
  accesses.for_each_operand([](const Buffer& buffer) { buffer.wait_for_streams(schedule::Purpose::read); });
}

std::vector<device::StreamMark> unreached(const AssignmentAccesses& accesses) {
  std::vector<device::StreamMark> marks;
  if (const Buffer* written = accesses.written().buffer) written->add_unreached(schedule::Purpose::rewrite, marks);
  accesses.for_each_operand([&](const Buffer& buffer) { buffer.add_unreached(schedule::Purpose::read, marks); });
  return marks;
}

void order(const AssignmentAccesses& accesses, device::Stream& stream) {
  const Buffer* const written = accesses.written().buffer;
  if (written != nullptr && written->uses() != nullptr) written->uses()->order_write(stream);
  accesses.for_each_operand([&](const Buffer& buffer) {
    if (buffer.uses() != nullptr) buffer.uses()->order_read(stream);
  });
}

void note(const AssignmentAccesses& accesses, const device::StreamMark& mark) {
  const Buffer* const written = accesses.written().buffer;
  accesses.for_each_operand([&](const Buffer& buffer) {
    if (buffer.uses() != nullptr && &buffer != written) buffer.uses()->note_read(mark);
  });
  if (written != nullptr && written->uses() != nullptr) written->uses()->note_write(mark);
}

namespace {

/// By the Vars of whole buffers.
void declare_buffers(const AssignmentAccesses& accesses, Engine& engine, schedule::OpState& op) {
  const WrittenBuffer& written = accesses.written();
  const bool is_recorded = schedule::thread_context().recorder != nullptr;
  const auto var_of = [&](const Buffer& buffer) -> const Var& {
    if (is_recorded) static_cast<void>(buffer.var());  // replays name the buffer, whatever its views have by then
    return buffer.var_for(engine);
  };
  schedule::AccessList list;
  // What is left of a failed op's elements where only some are written is as wrong as before. Of a parameter it is known in each replay.
  if (written.parameter != nullptr) {
    list.writes(*written.parameter);
  } else if (written.buffer == nullptr) {
    // nothing is written
  } else if (written.rewrites) {
    list.writes(var_of(*written.buffer));
  } else {
    list.changes(var_of(*written.buffer));
  }
  for (const schedule::ParameterSlot* slot : accesses.parameters()) list.reads(*slot);
  accesses.for_each_operand([&](const Buffer& buffer) { list.reads(var_of(buffer)); });
  list.declare(op);
}

void submit_by_views(const AssignmentAccesses& accesses, Engine& engine, schedule::OpState& op) {
  const WrittenBuffer& written = accesses.written();
  std::vector<storage::ViewAccess> views(accesses.views().begin(), accesses.views().end());
  if (written.buffer != nullptr) {
    views.push_back(
        {.buffer = written.buffer, .bytes = storage::Footprint(written.memory), .reads = false, .writes = true});
  }
  accesses.for_each_whole([&](const Buffer& buffer) {
    views.push_back({.buffer = &buffer, .bytes = storage::footprint_of(buffer), .reads = true, .writes = false});
  });
  tessera::storage::submit_by_views(engine, op, views,
                                    written.divides ? storage::Views::disjoint : storage::Views::whole);
}

/// Whether a Var that the assignment would name may be divided among views, or shall be.
bool needs_views(const AssignmentAccesses& accesses) {
  if (schedule::thread_context().recorder != nullptr) return false;
  if (accesses.written().divides && !accesses.written().rewrites) return true;
  const auto has_view_vars = [](const storage::ViewAccess& access) { return access.buffer->has_view_vars(); };
  const Buffer* const written = accesses.written().buffer;
  return accesses.knows_views() &&
         ((written != nullptr && written->has_view_vars()) || std::ranges::any_of(accesses.views(), has_view_vars));
}

}  // namespace

void submit(const AssignmentAccesses& accesses, Engine& engine, schedule::UnsubmittedOp op) {
  if (needs_views(accesses)) {
    submit_by_views(accesses, engine, *op);
  } else {
    declare_buffers(accesses, engine, *op);
    try {
      engine.submit(*op);
    } catch (const schedule::VarIsDivided&) {  // by another thread, just now
      schedule::forget_accesses(*op);
      submit_by_views(accesses, engine, *op);
    }
  }
  static_cast<void>(op.release());
}

}  // namespace tessera
