module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.schedule;
import tessera.core;
import tessera.device;

// The Trace Event Format, event by event. Numbers are made into text here, because a stream would follow its locale.
namespace tessera {

namespace {

/// No thread has such a number: viewers take the thread that has the process's number for its main thread.
constexpr std::int64_t first_process = 1'000'000;
/// Between the numbers of processes there is room for their GPUs, and for their arrows.
constexpr std::int64_t processes_apart = 1'000, arrows_apart = 1'000'000'000;

constexpr std::string_view begin_of_trace = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", end_of_trace = "\n]}\n";

std::string process_id(std::int64_t process) { return "\"pid\":" + std::to_string(first_process + process); }

/// Nanoseconds as microseconds, exactly.
std::string microseconds(std::int64_t nanoseconds) {
  const bool is_negative = nanoseconds < 0;
  // Unsigned, so that the lowest number has a magnitude too.
  const auto bits = static_cast<std::uint64_t>(nanoseconds);
  const std::uint64_t magnitude = is_negative ? 0 - bits : bits;
  const std::string fraction = std::to_string(1000 + magnitude % 1000).substr(1);
  return (is_negative ? "-" : "") + std::to_string(magnitude / 1000) + "." + fraction;
}

std::string list(std::span<const std::uint64_t> ids) {
  std::string text = "[";
  for (const std::uint64_t id : ids) text += (text.size() > 1 ? "," : "") + std::to_string(id);
  return text + "]";
}

/// One viewer shows outcomes by the colours that it knows by these names.
std::string_view colour(Outcome outcome) {
  switch (outcome) {
    case Outcome::succeeded: return "";
    case Outcome::failed: return ",\"cname\":\"terrible\"";
    case Outcome::skipped: return ",\"cname\":\"grey\"";
    case Outcome::cancelled: return ",\"cname\":\"bad\"";
  }
  return "";
}

/// Writes the events of one trace.
class ChromeTrace {
 public:
  ChromeTrace(std::ostream& out, std::span<const OpRecord> records, std::span<const device::StreamRecord> streams,
              const TraceProcess& process)
      : out_(out),
        records_(records),
        streams_(streams),
        whose_(process),
        process_(process_id(process.number * processes_apart)),
        threads_(records.size()),
        awaited_(records.size()) {
    find_awaited();
  }

  void write() {
    out_ << begin_of_trace;
    out_ << "{\"ph\":\"M\"," << process_ << ",\"name\":\"process_name\",\"args\":{\"name\":" << json_quoted(whose_.name)
         << "}}";
    if (whose_.number != 0) {
      out_ << ",\n{\"ph\":\"M\"," << process_
           << ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":" << std::to_string(whose_.number) << "}}";
    }
    write_threads();
    for (std::size_t op = 0; op < records_.size(); ++op) write_op(op);
    for (std::size_t op = 0; op < records_.size(); ++op) write_arrow(op);
    write_counter();
    write_streams();
    out_ << end_of_trace;
  }

 private:
  const OpRecord& record(std::size_t op) const { return records_[op]; }
  /// A time on the axis that all processes share.
  std::string at(std::int64_t nanoseconds) const { return microseconds(nanoseconds + whose_.later); }
  std::string on_thread(std::size_t op) const { return "\"tid\":" + std::to_string(threads_[op]); }

  /// For each op that found one of those before it unfinished: the one of them that ended last.
  void find_awaited() {
    const std::vector<std::size_t> order = submission_order(records_);
    AccessHistory history;
    for (const std::size_t op : order) {
      for (const Conflict& conflict : history.append(record(op).reads, record(op).writes)) {
        const std::size_t earlier = order[conflict.from];
        if (record(earlier).end <= record(op).queued) continue;
        if (!awaited_[op] || record(earlier).end > record(*awaited_[op]).end) awaited_[op] = earlier;
      }
    }
  }

  /// The first row of a worker has the worker's number; all other rows have numbers above those.
  void write_threads() {
    const std::vector<Lane> lanes = lanes_of(records_, 0);
    int next = 0;
    for (const Lane& lane : lanes) next = std::max(next, lane.worker + 1);
    int position = 0;
    for (const Lane& lane : lanes) {
      std::vector<int> thread_of_row;
      for (std::size_t row = 0; row < lane.rows; ++row) {
        thread_of_row.push_back(row == 0 && lane.worker >= 0 ? lane.worker : next++);
        const std::string name = lane.name + (row == 0 ? "" : " (" + std::to_string(row + 1) + ")");
        write_thread(thread_of_row.back(), name, position++);
      }
      for (const PlacedOp& placed : lane.ops)
        threads_[static_cast<std::size_t>(placed.op - records_.data())] = thread_of_row[placed.row];
    }
  }

  void write_thread(int thread, const std::string& name, int position) {
    const std::string begin = ",\n{\"ph\":\"M\"," + process_ + ",\"tid\":" + std::to_string(thread);
    out_ << begin << ",\"name\":\"thread_name\",\"args\":{\"name\":" << json_quoted(name) << "}}";
    out_ << begin << ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" << std::to_string(position) << "}}";
  }

  void write_op(std::size_t index) {
    const OpRecord& op = record(index);
    out_ << ",\n{\"ph\":\"X\"," << process_ << "," << on_thread(index) << ",\"ts\":" << at(op.start)
         << ",\"dur\":" << microseconds(std::max<std::int64_t>(0, op.end - op.start))
         << ",\"cat\":\"op\",\"name\":" << json_quoted(op.name) << colour(op.outcome)
         << ",\"args\":{\"op\":" << std::to_string(op.id) << ",\"outcome\":\"" << to_string(op.outcome)
         << "\",\"queued_us\":" << at(op.queued) << ",\"waited_us\":" << microseconds(op.start - op.queued);
    if (awaited_[index]) out_ << ",\"waited_for\":" << std::to_string(record(*awaited_[index]).id);
    out_ << ",\"reads\":" << list(op.reads) << ",\"writes\":" << list(op.writes);
    if (op.where.line() > 0) {
      out_ << ",\"where\":" << json_quoted(std::string(op.where.file_name()) + ":" + std::to_string(op.where.line()))
           << ",\"function\":" << json_quoted(op.where.function_name());
    }
    out_ << "}}";
  }

  void write_arrow(std::size_t index) {
    if (!awaited_[index]) return;
    const OpRecord& from = record(*awaited_[index]);
    const std::string flow = ",\"cat\":\"dependency\",\"name\":\"lets begin\",\"id\":" +
                             std::to_string(whose_.number * arrows_apart + static_cast<std::int64_t>(index)) + "}";
    // An arrow belongs to the op that is open at its time, so it leaves just before the end.
    out_ << ",\n{\"ph\":\"s\"," << process_ << "," << on_thread(*awaited_[index])
         << ",\"ts\":" << at(std::max(from.start, from.end - 1)) << flow;
    out_ << ",\n{\"ph\":\"f\",\"bp\":\"e\"," << process_ << "," << on_thread(index)
         << ",\"ts\":" << at(record(index).start) << flow;
  }

  void write_counter() {
    std::map<std::int64_t, std::int64_t> change;
    for (const OpRecord& op : records_) {
      ++change[op.queued];
      --change[op.start];
    }
    std::int64_t waiting = 0;
    for (const auto& [time, difference] : change) {
      if (difference == 0) continue;
      waiting += difference;
      out_ << ",\n{\"ph\":\"C\"," << process_ << ",\"ts\":" << at(time)
           << ",\"name\":\"waiting ops\",\"args\":{\"ops\":" << std::to_string(waiting) << "}}";
    }
  }

  /// GPU 0 is the process after the host's.
  std::string process_of(const device::StreamRecord& work) const {
    return process_id(whose_.number * processes_apart + 1 + work.place.ordinal);
  }

  void write_streams() {
    std::map<std::pair<int, int>, const device::StreamRecord*> lanes;
    for (const device::StreamRecord& work : streams_) lanes.try_emplace({work.place.ordinal, work.stream}, &work);
    for (const auto& [lane, work] : lanes) {
      const std::string begin = ",\n{\"ph\":\"M\"," + process_of(*work);
      out_ << begin << ",\"name\":\"process_name\",\"args\":{\"name\":"
           << json_quoted((whose_.number != 0 ? whose_.name + ", " : "") + "GPU " + std::to_string(lane.first)) << "}}";
      out_ << begin << ",\"tid\":" << std::to_string(lane.second) << R"(,"name":"thread_name","args":{"name":"stream )"
           << std::to_string(lane.second) << "\"}}";
    }
    for (const device::StreamRecord& work : streams_) write_gpu_work(work);
  }

  void write_gpu_work(const device::StreamRecord& work) {
    out_ << ",\n{\"ph\":\"X\"," << process_of(work) << ",\"tid\":" << std::to_string(work.stream)
         << ",\"ts\":" << at(work.begin)
         << ",\"dur\":" << microseconds(std::max<std::int64_t>(0, work.end - work.begin))
         << ",\"cat\":\"gpu\",\"name\":" << json_quoted(work.name) << ",\"args\":{";
    if (work.bytes >= 0) out_ << "\"bytes\":" << std::to_string(work.bytes);
    if (work.where.line() > 0) {
      out_ << (work.bytes >= 0 ? "," : "") << "\"where\":"
           << json_quoted(std::string(work.where.file_name()) + ":" + std::to_string(work.where.line()));
    }
    out_ << "}}";
  }

  std::ostream& out_;
  std::span<const OpRecord> records_;
  std::span<const device::StreamRecord> streams_;
  const TraceProcess& whose_;
  std::string process_;
  std::vector<int> threads_;
  std::vector<std::optional<std::size_t>> awaited_;
};

}  // namespace

void write_chrome_trace(std::ostream& out, std::span<const OpRecord> records,
                        std::span<const device::StreamRecord> streams, const TraceProcess& process) {
  ChromeTrace(out, records, streams, process).write();
}

void merge_chrome_traces(std::ostream& out, std::span<const std::string> traces) {
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (traces[i].size() >= begin_of_trace.size() + end_of_trace.size() && traces[i].starts_with(begin_of_trace) &&
        traces[i].ends_with(end_of_trace))
      continue;
    throw FormatError(
        to_string(Failure{.operation = "merge_chrome_traces",
                          .problem = "text " + std::to_string(i) + " of " + std::to_string(traces.size()) +
                                     " is no trace that write_chrome_trace has written"}));
  }
  out << begin_of_trace;
  bool is_first = true;
  for (const std::string& trace : traces) {
    if (!is_first) out << ",\n";
    is_first = false;
    out << std::string_view(trace).substr(begin_of_trace.size(),
                                          trace.size() - begin_of_trace.size() - end_of_trace.size());
  }
  out << end_of_trace;
}

}  // namespace tessera
