module;
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;

// The submission of an op by the views that it accesses.
namespace tessera {

/// One op on its way, while views_mutex is held.
class ViewSubmission {
 public:
  ViewSubmission(Engine& engine, schedule::OpState& op, schedule::HeldSubmissions& held)
      : engine_(engine), op_(op), held_(held) {}
  ViewSubmission(const ViewSubmission&) = delete;
  ViewSubmission& operator=(const ViewSubmission&) = delete;
  ~ViewSubmission() {
    for (ViewVars* views : touched_) {
      for (ViewVar& view : views->list) view.is_written_now = view.is_read_now = view.is_replaced_now = false;
    }
  }

  /// Finds the Vars for all accesses of one buffer.
  void name(const Buffer& buffer, std::span<ViewAccess> accesses, Views mode) {
    BufferVar& shared = buffer.shared_var();
    ViewVars* views = shared.views.load(std::memory_order_relaxed);
    if (views != nullptr && views->engine != &engine_) {
      reunite_views(shared, &engine_, held_);
      views = nullptr;
    }
    const Footprint all = footprint_of(buffer);
    for (ViewAccess& access : accesses) {
      access.reads = access.reads || (mode == Views::whole ? !access.bytes.covers(all) : !access.bytes.is_exact());
      if (mode == Views::whole) access.bytes = all;
    }
    const auto writes_part = [&](const ViewAccess& access) { return access.writes && !access.bytes.covers(all); };
    if (views == nullptr && !shared.is_named.load(std::memory_order_relaxed) &&
        std::ranges::any_of(accesses, writes_part)) {
      views = &divide_views(buffer, shared, engine_, held_);
    }
    if (views == nullptr) return name_whole(shared, all, accesses);
    touched_.push_back(views);
    views->trim();
    name_parts(*views, accesses);
  }

  void submit() {
    named_.declare(op_);
    held_.submit(engine_, op_);
    for (ViewVars* views : touched_) {
      for (ViewVar& view : views->list) view.take_over();
      std::erase_if(views->list, [](const ViewVar& view) { return view.is_replaced_now; });
    }
  }

 private:
  void name_whole(BufferVar& shared, const Footprint& all, std::span<const ViewAccess> accesses) {
    shared.last_named.store(&engine_, std::memory_order_release);
    for (const ViewAccess& access : accesses) {
      if (access.writes) named_.writes(shared.var);
      if (access.reads || !access.writes || !access.bytes.covers(all)) named_.reads(shared.var);
    }
  }

  void name_parts(ViewVars& views, std::span<const ViewAccess> accesses) {
    const auto written = std::ranges::find_if(accesses, &ViewAccess::writes);
    if (written != accesses.end()) name_write(views, *written);
    for (const ViewAccess& access : accesses) {
      if (access.writes || access.bytes.is_empty()) continue;
      name_read(views, access.bytes, written != accesses.end() && written->bytes.covers(access.bytes));
    }
  }

  void name_write(ViewVars& views, const ViewAccess& access) {
    if (access.bytes.is_empty()) return;
    const std::size_t own = views.find_or_add(access.bytes);
    for (std::size_t at = 0; at < views.list.size(); ++at) {
      ViewVar& view = views.list[at];
      const bool is_covered = at == own || access.bytes.covers(view.bytes);
      if (is_covered) {
        access.reads ? named_.changes(view.written) : named_.writes(view.written);
        if (view.reading) named_.writes(*view.reading);
        (at == own ? view.is_written_now : view.is_replaced_now) = true;
      } else if (access.bytes.overlaps(view.bytes)) {
        name_overlapping_write(view);
      }
    }
  }

  /// The op writes something of the view.
  void name_overlapping_write(ViewVar& view) {
    view.look_again();
    if (view.may_be_written) named_.reads(view.written);
    if (view.was_read) {
      schedule::AccessList join;
      join.changes(*view.reading);
      held_.submit_join(engine_, join);
      view.was_read = false;
      view.is_joined = true;
    }
    if (view.is_joined) named_.reads(*view.reading);
  }

  void name_read(ViewVars& views, const Footprint& bytes, bool is_rewritten) {
    if (!is_rewritten) {  // else those who come later wait for the op as a writer
      ViewVar& own = views.list[views.find_or_add(bytes)];
      if (!own.reading) own.reading.emplace();
      named_.reads(*own.reading);
      own.is_read_now = true;
    }
    for (ViewVar& view : views.list) {
      if (!view.may_be_written || !view.bytes.overlaps(bytes)) continue;
      view.look_again();
      if (view.may_be_written) named_.reads(view.written);
    }
  }

  Engine& engine_;
  schedule::OpState& op_;
  schedule::HeldSubmissions& held_;
  std::vector<ViewVars*> touched_;
  schedule::AccessList named_;
};

void storage::submit_by_views(Engine& engine, schedule::OpState& op, std::span<ViewAccess> accesses, Views mode) {
  schedule::HeldSubmissions held;
  {
    const std::lock_guard lock(views_mutex());
    ViewSubmission submission(engine, op, held);
    std::ranges::sort(accesses, std::less<>{}, &ViewAccess::buffer);
    while (!accesses.empty()) {
      const Buffer* const buffer = accesses.front().buffer;
      const auto end =
          std::ranges::find_if(accesses, [&](const ViewAccess& access) { return access.buffer != buffer; });
      const auto count = static_cast<std::size_t>(end - accesses.begin());
      submission.name(*buffer, accesses.first(count), mode);
      accesses = accesses.subspan(count);
    }
    submission.submit();
  }
  held.start(engine);
}

}  // namespace tessera
