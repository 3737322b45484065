module;
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>
module tessera.schedule;
import tessera.device;

// From what the engine reports to records.
namespace tessera {

namespace {

Outcome outcome_of(const OpState& op) {
  if (!op.failure) return Outcome::succeeded;
  if (op.extras->skipped) return Outcome::skipped;
  return op.failure->cancelled ? Outcome::cancelled : Outcome::failed;
}

}  // namespace

class RecordingSink final : public TraceSink {
 public:
  void submitted(OpState& op) override {
    op.extras->queued = now();
    op.extras->number = ++submitted_;
  }

  void ended(const OpState& op) noexcept override {
    if (op.extras->number == 0) return;  // submitted before the trace began
    try {
      OpRecord record = record_of(op);
      const std::lock_guard lock(mutex_);
      if (is_open_) records_.push_back(std::move(record));
    } catch (...) {
      ++lost_;
    }
  }

  std::vector<OpRecord> records() const {
    std::vector<OpRecord> sorted;
    {
      const std::lock_guard lock(mutex_);
      sorted = records_;
    }
    std::ranges::sort(sorted, {}, &OpRecord::id);
    return sorted;
  }

  std::size_t lost() const { return lost_; }
  std::int64_t begin() const { return begin_; }
  std::size_t submitted_ops() const { return submitted_; }

  void close() {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
    records_ = {};
  }

 private:
  OpRecord record_of(const OpState& op) const {
    const OpExtras& extras = *op.extras;
    const std::int64_t end = now();
    OpRecord record{.id = extras.number,
                    .name = op.name,
                    .where = op.where,
                    .worker = extras.worker,
                    .queued = extras.queued - begin_,
                    .start = (extras.started == 0 ? end : extras.started) - begin_,
                    .end = end - begin_,
                    .reads = {},
                    .writes = {},
                    .outcome = outcome_of(op)};
    for (int i = 0; i < op.access_count; ++i) {
      const Access& access = op.access(i);
      if (access.reads()) record.reads.push_back(access.var()->id);
      if (access.writes()) record.writes.push_back(access.var()->id);
    }
    return record;
  }

  const std::int64_t begin_ = now();
  std::atomic<std::uint64_t> submitted_{0};
  std::atomic<std::size_t> lost_{0};
  mutable std::mutex mutex_;
  bool is_open_ = true;
  std::vector<OpRecord> records_;
};

Trace::Trace(Scheduler& scheduler) : engine_(scheduler.engine()), sink_(std::make_shared<RecordingSink>()) {
  engine_->attach(sink_);
}

Trace::~Trace() {
  engine_->detach(*sink_);
  sink_->close();
}

std::vector<OpRecord> Trace::records() const { return sink_->records(); }

std::vector<device::StreamRecord> Trace::streams() const {
  const std::int64_t later = std::chrono::nanoseconds(streams_.begin().time_since_epoch()).count() - sink_->begin();
  std::vector<device::StreamRecord> records = streams_.records();
  for (device::StreamRecord& record : records) {
    record.begin += later;
    record.end += later;
  }
  return records;
}

std::chrono::steady_clock::time_point Trace::begin() const noexcept {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(sink_->begin()));
}

std::size_t Trace::submitted() const { return sink_->submitted_ops(); }

std::size_t Trace::lost() const { return sink_->lost(); }

}  // namespace tessera
