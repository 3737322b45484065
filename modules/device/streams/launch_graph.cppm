module;
#include <cstddef>
export module tessera.device:launch_graph;
import tessera.standard;
import tessera.core;
import :place;
import :stream;

// Launches that are made again and again, as one launch of a CUDA graph.
namespace tessera::device {

class LaunchRuns;

/// What is kept of launches that are repeated: a CUDA graph for each run of them that was the same twice. For one thread at a time.
export class LaunchGraphs {
 public:
  /// Throws std::bad_alloc. Opens no driver.
  LaunchGraphs();
  LaunchGraphs(const LaunchGraphs&) = delete;
  LaunchGraphs& operator=(const LaunchGraphs&) = delete;
  /// Waits until GPUs have done the graphs' work.
  ~LaunchGraphs();

  /// Graphs that there are.
  int count() const;

 private:
  friend class CollectedLaunches;
  std::unique_ptr<LaunchRuns> runs_;
};

/// While it lives, the launches of kernels that its thread gives a stream are held back. They are given to CUDA together when the stream is given
/// other work, when this thread waits for them, and by finish(): as one launch of a graph where the same kernels were launched the last time
/// that these LaunchGraphs were used. Their marks are made at once. At most one is active in a thread, the outermost; without graphs in the
/// driver, and while a StreamTrace is active, nothing is held back.
export class CollectedLaunches {
 public:
  explicit CollectedLaunches(LaunchGraphs& graphs);
  CollectedLaunches(const CollectedLaunches&) = delete;
  CollectedLaunches& operator=(const CollectedLaunches&) = delete;
  /// As finish(), but what fails is lost: for those who leave by another error.
  ~CollectedLaunches();

  /// Gives CUDA what is held back. Throws DeviceError if it refuses; the launches from there on are lost.
  void finish();

 private:
  bool is_active_;
};

}  // namespace tessera::device
