export module tessera.array:view_submission;
import tessera.standard;
import tessera.core;
import tessera.schedule;
import :buffer;
import :footprint;

// Ops that are submitted by the views that they access.
namespace tessera {

namespace storage {

/// What an op does with a view.
export struct ViewAccess {
  const Buffer* buffer;
  Footprint bytes;
  bool reads;
  bool writes;  // if it does not read, all of the view
};

/// Whether views have Vars of their own in this submission, if they can: a buffer whose Var has been named by hand stays whole.
export enum class Views { whole, disjoint };

/// Submits an op of which no access is declared yet. Throws SchedulerError, std::bad_alloc; the op is the caller's then.
export void submit_by_views(Engine& engine, schedule::OpState& op, std::span<ViewAccess> accesses, Views views);

}  // namespace storage
using storage::submit_by_views;
using storage::ViewAccess;
using storage::Views;

}  // namespace tessera
