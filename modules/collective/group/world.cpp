module;
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>
module tessera.collective;
import tessera.core;

// Beginning and ending MPI.
namespace tessera::collective {

namespace {

/// All groups of this process, until it ends.
class Groups {
 public:
  static Groups& here() {
    static auto* const made = new Groups;
    return *made;
  }

  std::shared_ptr<Communicator> world() {
    const std::lock_guard lock(mutex_);
    if (world_ == nullptr) {
      world_ = make_world();
      groups_.push_back(world_);
    }
    return world_;
  }

  std::shared_ptr<Communicator> add(std::unique_ptr<Wire> wire, std::string name) {
    const auto group = std::make_shared<Communicator>(std::move(wire), std::move(name));
    const std::lock_guard lock(mutex_);
    groups_.push_back(group);
    return group;
  }

 private:
  /// Before MPI is ended, by the program or by this.
  static void end_of_program() {
    if (getpid() == here().process_) here().end();  // a child process has no part in them
  }

  static std::shared_ptr<Communicator> group_of(std::unique_ptr<Wire> wire) {
    return std::make_shared<Communicator>(std::move(wire), "world");
  }

  std::shared_ptr<Communicator> make_world() {
    const LaunchedJob job = launched_job();
    const bool is_begun = program_has_begun_mpi();
    if ((!job.is_launched || job.is_one) && !is_begun) return group_of(make_wire_of_one());
    Progress& progress = Progress::here();
    EngineThreads threads;
    if (is_begun) {
      threads = begin_mpi("it has begun MPI", end_of_program);
      if (threads.is_one) progress.set_use(EngineUse::thread_of_program);
    } else {
      // The thread that begins MPI is the one that ends it, and the only one that may use it where MPI allows but one.
      progress.set_use(EngineUse::own_thread);
      progress.call([&] { threads = begin_mpi(job.said_by, end_of_program); });
      if (!threads.is_one) progress.set_use(EngineUse::any_thread);
    }
    is_ours_ = threads.is_ours;
    std::unique_ptr<Wire> wire;
    progress.call([&] { wire = make_world_wire(); });
    std::atexit(end_of_program);
    return group_of(std::move(wire));
  }

  /// A process that has failed does not wait for the others, which the launcher ends then.
  void end() noexcept {
    if (std::exchange(has_ended_, true)) return;
    bool has_failed = false;
    Progress& progress = Progress::here();
    {
      const std::lock_guard lock(progress.lock());
      for (const auto& group : groups_) {
        has_failed = has_failed || group->has_failed();
        group->say_farewell();
      }
    }
    if (!is_ours_ || has_failed) return;
    progress.set_use(EngineUse::own_thread);
    progress.end(end_mpi);
  }

  std::mutex mutex_;
  std::shared_ptr<Communicator> world_;
  std::vector<std::shared_ptr<Communicator>> groups_;
  const pid_t process_ = getpid();
  bool is_ours_ = false, has_ended_ = false;
};

}  // namespace

std::shared_ptr<Communicator> world_of_process() { return Groups::here().world(); }

std::shared_ptr<Communicator> part_of(Communicator& group, int color, std::string name) {
  std::unique_ptr<Wire> wire;
  Progress::here().call([&] { wire = group.split_wire(color); });
  return Groups::here().add(std::move(wire), std::move(name));
}

}  // namespace tessera::collective
