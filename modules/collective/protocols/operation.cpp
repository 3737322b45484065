module;
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;
import tessera.darray;

// Memory for the engine, and driving the steps.
namespace tessera::collective {

ArrayMemory::ArrayMemory(const DArray& array)
    : share_(array.buffer()),
      data_(array.data()),
      layout_(array.layout()),
      dtype_(array.dtype()),
      place_(array.place()) {
  share_.hold();
}

std::ptrdiff_t ArrayMemory::count() const noexcept {
  std::ptrdiff_t count = 1;
  for (const std::ptrdiff_t extent : shape()) count *= extent;
  return count;
}

std::ptrdiff_t ArrayMemory::row_bytes() const noexcept {
  std::ptrdiff_t bytes = item_size(dtype_);
  for (int axis = 1; axis < layout_.rank; ++axis) bytes *= layout_.extents[static_cast<std::size_t>(axis)];
  return bytes;
}

bool ArrayMemory::is_plain() const { return share_ != nullptr && share_->owns() && place_.on_host() && is_row_major(); }

storage::ViewMemory ArrayMemory::view() const noexcept {
  return {.data = data_, .shape = layout_.shape(), .strides = layout_.steps(), .item = item_size(dtype_)};
}

storage::PlacedMemory ArrayMemory::placed() const noexcept {
  return {{data_, layout_.steps(), item_size(dtype_)}, place_, share_ != nullptr ? share_->uses() : nullptr};
}

void ArrayMemory::copy_to(void* row_major) const {
  const dynamic::DLayout packed = dynamic::row_major(layout_.shape());
  storage::copy_strided(shape(), {{row_major, packed.steps(), item_size(dtype_)}, CpuPlace{}}, placed());
}

void ArrayMemory::copy_from(const void* row_major) const {
  const dynamic::DLayout packed = dynamic::row_major(layout_.shape());
  storage::copy_strided(shape(), placed(),
                        {{const_cast<void*>(row_major), packed.steps(), item_size(dtype_)}, CpuPlace{}});
}

void ArrayMemory::copy_from(const ArrayMemory& other) const {
  storage::copy_strided(shape(), placed(), other.placed());
}

void ArrayMemory::copy_from_row_major(const ArrayMemory& other) const {
  const dynamic::DLayout packed = dynamic::row_major(layout_.shape());
  storage::copy_strided(shape(), placed(), {{other.data(), packed.steps(), item_size(dtype_)}, place_, other.uses()});
}

bool ArrayMemory::overlaps(const ArrayMemory& other) const {
  return storage::Footprint(view()).overlaps(storage::Footprint(other.view()));
}

void ArrayMemory::wait(schedule::Purpose purpose) const {
  if (share_ == nullptr) return;
  // Copies of a GPU's memory, and what NCCL does with it, are ordered by its streams.
  if (place_.on_host()) {
    share_->wait(purpose, view());
  } else {
    share_->wait_for_ops(purpose, view());
  }
}

AlgorithmMemory ArrayMemory::as_algorithm_memory() const noexcept { return {.buffer = share_.get(), .memory = view()}; }

namespace {

/// Which GPU NCCL could move the arrays of a call from, and to; zero if none.
device::GpuIdentity joint_gpu(const ArrayMemory& from, const ArrayMemory& to) {
  const ArrayMemory& any = from.is_none() ? to : from;
  if (any.is_none() || any.place().on_host() || (!to.is_none() && to.place() != any.place())) return {};
  if (!nccl().reason.empty()) return {};
  return device::gpu_identity(place_cast<GpuPlace>(any.place()));
}

}  // namespace

Operation::Operation(std::shared_ptr<Communicator> of, const Note& said, ArrayMemory read, ArrayMemory written)
    : group(std::move(of)), note(said), from(std::move(read)), to(std::move(written)) {
  const bool is_message = note.kind == CallKind::send || note.kind == CallKind::receive;
  if (size() > 1 && !is_message) note.gpu = joint_gpu(from, to);
}

const std::byte* Operation::sent() {
  if (sent_ != nullptr) return sent_;
  // No elements lie apart: where they seem to lie in their place, an all-gather would go another way on this rank alone.
  if (from.is_plain() && from.bytes() != 0) return sent_ = static_cast<const std::byte*>(from.data());
  std::byte* const packed = scratch(from.bytes());
  from.copy_to(packed);
  return sent_ = packed;
}

std::byte* Operation::received() {
  if (received_ != nullptr) return received_;
  // All ranks or none let an all-gather find what they have in its place: the engine goes another way then.
  const bool is_same = to.data() == from.data() && to.bytes() == from.bytes() && note.kind != CallKind::all_gather;
  is_delivered_in_place_ = to.is_plain() && (from.is_none() || is_same || !to.overlaps(from));
  return received_ = is_delivered_in_place_ ? static_cast<std::byte*>(to.data()) : scratch(to.bytes());
}

void Operation::deliver() {
  if (!is_delivered_in_place_) to.copy_from(received_);
}

std::byte* Operation::scratch(std::ptrdiff_t bytes) {
  return static_cast<std::byte*>(scratch_.emplace_back(CpuPlace{}, std::max<std::ptrdiff_t>(bytes, 1)).data());
}

Transfer Operation::exchange(Exchange exchange) {
  exchange.lane = turn_->lane();
  return {*turn_, exchange};
}

Transfer Operation::message(const Exchange& first, const std::optional<Exchange>& rest) {
  return {*message_, first, rest};
}

Transfer Operation::next_message(const Exchange& only) { return {rest_of_message_.emplace(group, note), only}; }

void Operation::make_result(std::span<const std::ptrdiff_t> shape, DType dtype) {
  result = DArray(DDim(shape), dtype);
  to = ArrayMemory(result);
}

void Operation::begin(Steps steps, bool is_waited_for) {
  if (note.kind == CallKind::send || note.kind == CallKind::receive) {
    message_.emplace(group, note);
    if (is_waited_for) message_->block();
  } else {
    turn_.emplace(group, note);
    if (is_waited_for) turn_->block();
  }
  protocol_ = steps(*this);
}

namespace {

/// What the engine may still use, though nobody waits for it any more: it is never given back.
void keep_for_ever(const std::shared_ptr<Operation>& operation) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::shared_ptr<Operation>>;
  const std::lock_guard lock(mutex);
  kept->push_back(operation);
}

std::string words_of(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception of an unknown type";
  }
}

}  // namespace

Pending* Operation::go_on(const std::shared_ptr<Operation>& self) {
  if (awaited_ != nullptr && awaited_->failure()) {
    keep_for_ever(self);
    std::rethrow_exception(awaited_->failure());
  }
  try {
    return awaited_ = protocol_.go_on();
  } catch (...) {  // the others wait for what does not come
    const std::string why = words_of(std::current_exception());
    {
      const std::lock_guard lock(Progress::here().lock());
      group->fail(group->text() + " could not go on with " + text_of(note) + ": " + why);
    }
    keep_for_ever(self);
    throw;
  }
}

namespace {

/// The body of an op. It is called again when what it waits for has ended.
struct Steps {
  std::shared_ptr<Operation> operation;

  void operator()() const {
    Pending* const awaited = operation->go_on(operation);
    if (awaited == nullptr) return;
    // What can fail comes first: who is watched must live until it has ended.
    const Completion completion;
    schedule::give_up_turn_until(completion);
    Progress::here().watch(*awaited, completion);
  }
};

void require_no_recording(const Operation& operation) {
  if (schedule::thread_context().recorder == nullptr) return;
  throw SchedulerError(to_string(
      Failure{.operation = name_of(operation.note.kind),
              .problem = "a collective cannot be recorded: its number in the group's order is that of the call",
              .advice = "call it between two replays"}));
}

}  // namespace

void perform_now(const std::shared_ptr<Operation>& operation, Operation::Steps steps) {
  operation->from.wait(schedule::Purpose::read);
  operation->to.wait(operation->to.data() == operation->from.data() ? schedule::Purpose::change
                                                                    : schedule::Purpose::rewrite);
  Progress& progress = Progress::here();  // a child process has none, and takes no turn
  operation->begin(steps, true);
  while (Pending* const awaited = operation->go_on(operation)) progress.wait(*awaited);
}

void perform(const std::shared_ptr<Operation>& operation, Operation::Steps steps) {
  require_no_recording(*operation);
  if (!Progress::here().can_watch()) return perform_now(operation, steps);
  const bool writes = !operation->to.is_none();
  const AlgorithmMemory written = operation->to.as_algorithm_memory();
  const AlgorithmMemory read = operation->from.as_algorithm_memory();
  const auto read_memory = std::span(&read, operation->from.is_none() ? 0 : 1);
  const char* const name = name_of(operation->note.kind).data();
  const bool is_submitted = submit_algorithm(writes ? &written : nullptr, read_memory, name, [&] {
    Progress::here().prepare_to_watch();
    operation->begin(steps, false);
    return Steps{operation};
  });
  if (!is_submitted) perform_now(operation, steps);
}

}  // namespace tessera::collective
