module;
#include <cstddef>
export module tessera.array:view_vars;
import tessera.standard;
import tessera.core;
import tessera.schedule;
import :buffer;
import :footprint;

// Vars of the views of one buffer, so that ops on views that share no bytes run beside each other.
//
// A buffer whose views have Vars keeps a list of the views that ops have accessed. An op names the Vars of its own view and those of all
// other views on the list that overlap it. So of two ops on overlapping views the later one names a Var that the earlier one named as
// its own. Each view has two Vars, for what must not wait for each other:
//
//   written   written by ops that write this view, read by ops on it and on views that overlap it;
//   reading   read by ops that read this view, written by ops that write it. An op that writes a view which only overlaps this one
//             must wait for the readers too, but writing this Var would order it with writers of other parts of this view. So it reads
//             it, after a join that writes it: an op without work, submitted just before, if somebody has read the view since the last.
//
// An op that rewrites all bytes of other views takes their place: it writes their Vars, and they leave the list.
namespace tessera {

namespace storage {

/// All bytes of a buffer.
export Footprint footprint_of(const Buffer& buffer) noexcept;

}  // namespace storage
using storage::footprint_of;

/// Held from the look at a list to the registration of the op, by all threads that submit by views; never while somebody waits.
std::mutex& views_mutex() noexcept;

/// One view that ops have accessed.
struct ViewVar {
  Footprint bytes;
  Var written;
  std::optional<Var> reading;   // once the view has been read
  bool may_be_written = false;  // `written` may have a pending writer, or a failed one
  bool was_read = false;        // since the last join of `reading`
  bool is_joined = false;       // that join may be pending

  // What the op that is being submitted does.
  bool is_written_now = false;
  bool is_read_now = false;
  bool is_replaced_now = false;

  /// Throws std::bad_alloc.
  explicit ViewVar(const Footprint& of) : bytes(of) {}

  bool is_quiet() const noexcept;
  /// Forgets what has ended.
  void look_again() noexcept;
  /// What the op did counts from now on.
  void take_over() noexcept;
};

/// The views of one buffer that have Vars.
struct ViewVars {
  Engine* engine;             // of all pending ops on them; while there are any, it is alive
  std::vector<ViewVar> list;  // the first one is all of the buffer
  std::size_t trim_at = 64;

  /// Drops views on which nothing is pending, now and then.
  void trim() noexcept;
  /// Throws std::bad_alloc.
  std::size_t find_or_add(const Footprint& bytes);
};

/// Gives views of the buffer Vars of their own. What has been submitted on the buffer's Var counts as done with all of it.
ViewVars& divide_views(const Buffer& buffer, BufferVar& shared, Engine& engine, schedule::HeldSubmissions& held);

/// Gives the buffer's own Var back its meaning: what comes on it waits for what is pending on the views. If nothing is, the engine
/// may be gone.
void reunite_views(BufferVar& shared, Engine* engine, schedule::HeldSubmissions& held);

}  // namespace tessera
