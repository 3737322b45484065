module;
#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;
import tessera.expr;

// Ordering a library's work on a stream, and lending it memory in the order of that stream.
namespace tessera::device_work {

namespace {

/// Temporaries of one call. What is freed is in use by work that the stream has been given, until a mark after it.
class Lender {
 public:
  explicit Lender(device::Stream& stream) : stream_(stream) {}

  device_kernels::Target target() {
    return {.stream = stream_.native(), .context = this, .allocate = allocate, .free = free};
  }

 private:
  struct Loan {
    void* memory;
    std::unique_ptr<device::StreamUses> uses;
  };

  /// Null for whatever fails: the caller is compiled by another compiler, which an exception must not meet.
  static void* allocate(void* context, std::size_t bytes, void*) {
    auto& lender = *static_cast<Lender*>(context);
    try {
      lender.loans_.reserve(lender.loans_.size() + 1);
      auto uses = std::make_unique<device::StreamUses>();
      void* const memory = memory::alloc(lender.stream_, static_cast<std::ptrdiff_t>(bytes), *uses);
      lender.loans_.push_back({memory, std::move(uses)});
      return memory;
    } catch (...) {
      return nullptr;
    }
  }

  static void free(void* context, void* memory, std::size_t bytes, void*) {
    auto& lender = *static_cast<Lender*>(context);
    std::erase_if(lender.loans_, [&](const Loan& loan) {
      if (loan.memory != memory) return false;
      lender.stream_.count_work();
      loan.uses->note_write(lender.stream_.mark());
      memory::free(lender.stream_.place(), memory, static_cast<std::ptrdiff_t>(bytes), *loan.uses);
      return true;
    });
  }

  device::Stream& stream_;
  std::vector<Loan> loans_;
};

}  // namespace

void enqueue(GpuPlace place, const Accesses& accesses, Work work, const void* context) {
  device::Stream& stream = device::Stream::current(place);
  device::launching::make_current(place);
  const std::array reads{accesses.read, accesses.also_read};
  const std::array writes{accesses.written, accesses.also_written};
  const auto is_written = [&](device::StreamUses* uses) { return std::ranges::find(writes, uses) != writes.end(); };
  for (device::StreamUses* uses : reads) {
    if (uses != nullptr) uses->order_read(stream);
  }
  for (device::StreamUses* uses : writes) {
    if (uses != nullptr) uses->order_write(stream);
  }
  const auto note = [&] {
    stream.count_work();
    for (device::StreamUses* uses : writes) {
      if (uses != nullptr) uses->note_write(stream.mark());
    }
    for (device::StreamUses* uses : reads) {
      if (uses != nullptr && !is_written(uses)) uses->note_read(stream.mark());
    }
  };
  Lender lender(stream);
  try {
    const device::TracedWork traced(stream, "algorithm");
    work(context, lender.target());
  } catch (...) {
    note();  // the stream may have been given a part of the work
    throw;
  }
  note();
}

}  // namespace tessera::device_work
