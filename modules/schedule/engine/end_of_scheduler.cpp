module;
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
module tessera.schedule;
import tessera.core;

// The end of a scheduler, which waits for all of its ops: if that can take for ever, it says for which.
namespace tessera {

namespace {

std::string seconds(Patience duration) {
  constexpr std::size_t longest = 40;
  std::string text(longest, '\0');
  const int length = std::snprintf(text.data(), text.size(), "%g s", std::chrono::duration<double>(duration).count());
  text.resize(static_cast<std::size_t>(length));
  return text;
}

/// Names the coroutines that have begun, once no op runs.
class StalledEnd final : public SleepWatch {
 public:
  StalledEnd(Engine& engine, const char* operation, Patience patience)
      : SleepWatch(patience), engine_(&engine), operation_(operation) {}

  bool report() noexcept override {
    try {
      if (engine_->executor().running() != 0) return false;
      const std::string begun = engine_->begun_coroutines().description();
      if (begun.empty()) return false;
      const std::string line = to_string(
          {.operation = operation_,
           .problem = "no op has run for " + seconds(patience()) + ", and coroutines have not ended: " + begun,
           .advice = "signal what they await; it goes on waiting"});
      std::fputs(("tessera: " + line + "\n").c_str(), stderr);
    } catch (const std::exception&) {  // no memory: there is nothing to say it with
      return true;
    }
    return true;
  }

 private:
  Engine* engine_;
  const char* operation_;
};

}  // namespace

void shut_down(Engine& engine, const Deadline& deadline) {
  StalledEnd stalled(engine, "shutdown", engine.patience());
  wait_for_all(engine, deadline, "shutdown", engine.patience() == Patience::zero() ? nullptr : &stalled);
}

void drain(Engine& engine) noexcept {
  StalledEnd stalled(engine, "~Scheduler", engine.patience());
  if (engine.backlog().counts().pending() == 0) return;
  engine.backlog().wait(engine.executor(), 0, PTRDIFF_MAX, {},
                        engine.patience() == Patience::zero() ? nullptr : &stalled);
}

}  // namespace tessera
