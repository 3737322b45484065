module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:recording;
import tessera.standard;
import tessera.device;
import :failure;
import :op_name;
import :op_state;
import :var;
import :op_end;
import :engine;
import :parameter;
import :trace_record;

// Recorded ops and the edges between them. For the engine a replay is one op on the union of their Vars; inside it the ops run on
// counters of their own, and no queue of a Var is touched.
namespace tessera {

/// What may be said of all replays of a recording.
export struct CaptureOptions {
  OpName name = "replay";                ///< of each replay as a whole
  Priority priority = Priority::normal;  ///< of its beginning, among other ops; the recorded ops have their own
  std::stop_token stop = {};             ///< when a stop is requested, recorded ops that have not begun are cancelled
};

/// A recorded op and what waits for it. Its OpState points to it as its kind, so that the one is found from the other.
struct alignas(64) Node : OpKind {
  OpState* op = nullptr;
  std::atomic<std::uint32_t> waits{0};  // predecessors that have not ended
  std::uint32_t predecessors = 0;
  Node* first = nullptr;  // successor, or none
  std::uint32_t successors = 0;
  std::uint32_t others = 0;          // index of the second one
  std::uint32_t accesses = 0;        // index of its first one
  std::uint32_t ahead : 31 = 0;      // index of the node some steps behind `first`, to be fetched now
  std::uint32_t is_resumed : 1 = 0;  // its body has begun and waits for a GPU
};
static_assert(sizeof(Node) == 64);

/// An access of a recorded op: the index of its Var in the recording, and how.
struct NodeAccess {
  std::uint32_t var;
  bool reads;
  bool writes;
};

/// What must hold before each replay, about something that the recorded ops keep alive.
struct ReplayCondition {
  const void* subject;
  void (*check)(const void* subject);  ///< throws if it does not hold

  friend bool operator==(const ReplayCondition&, const ReplayCondition&) = default;
};

struct RecordedVar {
  Var var;
  std::uint32_t writes = 0;
  int parameter = -1;  // that it stands for
};

struct Recording {
  /// Stands between the recorded ops and the replay that runs, so that ops which they submit find the replay's accesses.
  struct Frame : OpState {
    Recording* recording = nullptr;
  };

  Recording() = default;
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording();

  std::weak_ptr<Engine> engine;
  CaptureOptions options;
  Frame frame;
  Var own;                       // written by each replay: they run one after the other
  std::vector<OpState*> ops;     // in the order of submission; owned
  std::vector<Node> nodes;       // one each
  std::vector<Node*> others;     // the nodes' successors
  std::vector<Node*> roots;      // wait for nobody
  std::uint32_t last_nodes = 0;  // nobody waits for them
  std::vector<NodeAccess> accesses;
  std::vector<RecordedVar> vars;  // by address, then those of parameters
  std::size_t fixed_vars = 0;     // that are no parameter's
  std::ptrdiff_t bytes = 0;
  bool has_stops = false;
  bool only_launches = true;  // all that the ops do; then a replay runs on one thread, as launches of these graphs
  std::unique_ptr<device::LaunchGraphs> graphs;
  std::vector<ReplayCondition> conditions;  // of every replay

  /// Of the recorded ops, without times; `id` is their place in the order of submission, from 1.
  std::vector<OpRecord> records() const;
};

inline Recording& recording_of(OpState& op) { return *static_cast<Recording::Frame*>(op.parent)->recording; }

namespace schedule {

/// Records what this thread submits, from its construction to its end.
class Recorder {
 public:
  Recorder(std::shared_ptr<Engine> engine, std::shared_ptr<Recording> recording, std::span<ParameterSlot* const> slots);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder();

  bool records_for(const Engine* engine) const noexcept { return engine_.get() == engine; }

  /// Takes an op. Throws SchedulerError if it cannot be recorded, std::bad_alloc; it is the caller's then.
  void take(OpState& op);
  void take_failure(const SharedFailure& failure) noexcept { failure_ = failure; }
  /// Throws std::bad_alloc.
  void add_condition(const ReplayCondition& condition);

  /// Resolves the edges. Throws SchedulerError, std::bad_alloc, and what a coroutine has thrown that was refused.
  void finish();

 private:
  void sort_vars();
  void resolve_accesses();
  void resolve_edges();
  void look_ahead();

  std::shared_ptr<Engine> engine_;
  std::shared_ptr<Recording> recording_;
  std::span<ParameterSlot* const> slots_;
  std::unordered_map<const VarState*, std::uint32_t> index_of_;
  SharedFailure failure_;
  Recorder* outer_;
};

}  // namespace schedule
using schedule::Recorder;

/// Takes a submitted op into a recording instead; it is the recording's then. Throws SchedulerError if it cannot be recorded,
/// std::bad_alloc.
void record_submission(Recorder& recorder, OpState& op);

/// A coroutine has failed before it became an op: while something is recorded, that is an error of the recording.
void record_failure(Recorder& recorder, const SharedFailure& failure) noexcept;

/// Throws SchedulerError if this thread records for that engine, which is only compared.
void check_not_recording(const Engine* engine, const char* operation);

namespace schedule {

/// Adds a condition to the recording that this thread makes; there must be one. Throws std::bad_alloc.
export void add_replay_condition(const void* subject, void (*check)(const void* subject));

/// If this thread makes a recording: the op, which is about to be submitted, does nothing but give kernels to the stream of a GPU. Throws
/// std::bad_alloc.
export void note_only_launches(OpState& op);

}  // namespace schedule
using schedule::add_replay_condition;
using schedule::note_only_launches;

}  // namespace tessera
