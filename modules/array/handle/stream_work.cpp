module;
#include <cstddef>
#include <span>
#include <string>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// Ordering a stream around work that others give it.
namespace tessera {

namespace {

void require_at(Place place, const storage::StreamUse& use) {
  if (use.buffer != nullptr && use.buffer->place() == place && use.buffer->uses() != nullptr) return;
  const std::string where =
      use.buffer == nullptr ? "nowhere: it has no storage" : "on " + to_string(use.buffer->place());
  throw PlaceError(
      to_string(Failure{.operation = "run_on",
                        .problem = "an array is " + where + ", and the stream is that of " + to_string(place),
                        .advice = "move it first: x.to(place)"}));
}

void note(const device::StreamMark& mark, std::span<const storage::StreamUse> uses) {
  for (const storage::StreamUse& use : uses) {
    use.is_written ? use.buffer->uses()->note_write(mark) : use.buffer->uses()->note_read(mark);
  }
}

}  // namespace

void storage::use_on_stream(device::Stream& stream, std::span<const StreamUse> uses, void (*work)(void* context),
                            void* context) {
  for (const StreamUse& use : uses) require_at(stream.place(), use);
  for (const StreamUse& use : uses) {
    use.is_written ? use.buffer->uses()->order_write(stream) : use.buffer->uses()->order_read(stream);
  }
  try {
    work(context);
  } catch (...) {
    stream.count_work();
    note(stream.mark(), uses);  // the stream may have been given a part of the work
    throw;
  }
  stream.count_work();
  note(stream.mark(), uses);
}

}  // namespace tessera
