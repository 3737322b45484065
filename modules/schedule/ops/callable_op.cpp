module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <source_location>
#include <string>
#include <vector>
module tessera.schedule;
import tessera.core;
import tessera.device;

// What does not depend on the callable.
namespace tessera {

void free_callable_op(OpState& op) noexcept {
  free_parts(op);
  std::destroy_at(&op);
  give_recycled(&op, sizeof(OpState));
}

void set_options(OpState& op, const OpOptions& options, const std::source_location& where) {
  op.name = options.name.text();
  op.where = where;
  op.priority = options.priority;
  if (options.always_run) op.set(OpState::always_run);
  if (options.bytes < 0) {
    throw SchedulerError(to_string({.operation = std::string("submission of op '") + op.name + "'",
                                    .problem = std::to_string(options.bytes) + " bytes are less than none",
                                    .where = where}));
  }
  if (!options.place.on_host()) {
    throw SchedulerError(to_string(
        {.operation = std::string("submission of op '") + op.name + "'",
         .problem = "it names the place " + to_string(options.place) + ", and its body takes no stream",
         .advice = "let the body take a device::Stream&, and give that its work; in a coroutine, co_await its mark()",
         .where = where}));
  }
  if (options.stop.stop_possible()) extras_of(op).stop = options.stop;
  constexpr std::ptrdiff_t most = PTRDIFF_MAX >> 20;  // so that the sum over a million pending ops is a number
  if (options.bytes != 0) extras_of(op).bytes = std::min(options.bytes, most);
}

GpuPlace gpu_of(const OpOptions& options, const std::source_location& where) {
  if (options.place.kind() == PlaceKind::gpu) return GpuPlace{options.place.ordinal()};
  throw SchedulerError(to_string({.operation = std::string("submission of op '") + options.name.text() + "'",
                                  .problem = "its body takes a stream, and its place is " + to_string(options.place),
                                  .advice = "name a GPU: {.place = GpuPlace{0}}",
                                  .where = where}));
}

void wait_for_work(device::Stream& stream) noexcept {
  try {
    stream.count_work();
    stream.mark().wait();
  } catch (...) {  // NOLINT(bugprone-empty-catch): somebody else is told why the work failed
  }
}

void run_again_after(const device::StreamMark& mark) { give_up_turn({mark}); }

namespace {

/// In the op's storage: a body whose type is forgotten, or where it is.
struct ErasedBody {
  static constexpr std::size_t room = OpState::storage_bytes - sizeof(const BodyType*);

  const BodyType* type;
  union {
    void* block;
    alignas(8) std::byte here[room];
  };

  static bool fits(const BodyType& type) { return type.bytes <= room && type.alignment <= 8; }
  static ErasedBody& of(OpState& op) { return *std::launder(reinterpret_cast<ErasedBody*>(op.storage)); }
  void* get() { return fits(*type) ? here : block; }
};
static_assert(sizeof(ErasedBody) == OpState::storage_bytes);

void run_erased(OpState& op) {
  ErasedBody& body = ErasedBody::of(op);
  body.type->run(body.get());
}

void drop_erased(OpState& op) noexcept {
  ErasedBody& body = ErasedBody::of(op);
  body.type->drop(body.get());
  if (!ErasedBody::fits(*body.type)) give_recycled(body.block, body.type->bytes);
}

constexpr OpKind erased_kind{.run = run_erased, .drop = drop_erased, .free = free_callable_op};

void make_in_block(ErasedBody& body, const void* from) {
  body.block = take_recycled(body.type->bytes);
  try {
    body.type->make(body.block, from);
  } catch (...) {
    give_recycled(body.block, body.type->bytes);
    throw;
  }
}

}  // namespace

UnsubmittedOp schedule::make_erased_op(const BodyType& type, const void* from, const OpOptions& options,
                                       const std::source_location& where) {
  UnsubmittedOp op(::new (take_recycled(sizeof(OpState))) OpState);
  set_options(*op, options, where);
  ErasedBody& body = *::new (static_cast<void*>(op->storage)) ErasedBody{.type = &type, .block = nullptr};
  ErasedBody::fits(type) ? type.make(body.here, from) : make_in_block(body, from);
  op->kind = &erased_kind;
  return op;
}

}  // namespace tessera
