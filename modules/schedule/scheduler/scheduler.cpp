module;
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
module tessera.schedule;
import tessera.core;

// Construction, the end, and what needs no template.
namespace tessera {

namespace {

void check_not_negative(const char* option, std::ptrdiff_t value) {
  if (value >= 0) return;
  throw SchedulerError(to_string({.operation = "Scheduler",
                                  .problem = std::string(option) + " is " + std::to_string(value),
                                  .advice = "0 means no bound"}));
}

std::shared_ptr<Executor> make_executor(const SchedulerOptions& options, Engine& engine) {
  if (std::holds_alternative<Inline>(options.executor)) return make_inline_executor(engine);
  if (const auto* permuting = std::get_if<Permuting>(&options.executor)) {
    return make_permuting_executor(engine, permuting->seed);
  }
  constexpr int most_workers = 1024;
  const int workers = options.workers == 0 ? num_threads() : options.workers;
  if (workers < 1 || workers > most_workers) {
    throw SchedulerError(
        to_string({.operation = "Scheduler",
                   .problem = std::to_string(workers) + " workers are not in 1 .. " + std::to_string(most_workers)}));
  }
  return make_pool_executor(engine, workers);
}

}  // namespace

namespace {

/// Whether this thread runs an op of that engine, or a part of one.
bool is_part_of_own_op(const Engine& engine) {
  for (const OpState* op = thread_context().op; op != nullptr; op = op->parent) {
    if (op->engine == &engine) return true;
  }
  return false;
}

}  // namespace

Scheduler::Scheduler(const SchedulerOptions& options) {
  check_not_negative("window", options.window);
  check_not_negative("window_bytes", options.window_bytes);
  if (options.patience < options.patience.zero()) {
    throw SchedulerError(to_string({.operation = "Scheduler",
                                    .problem = "patience is " + std::to_string(options.patience.count()) + " ms",
                                    .advice = "0 means that nothing is said"}));
  }
  engine_ = std::make_shared<Engine>(Window{.ops = options.window, .bytes = options.window_bytes}, options.patience);
  engine_->set_executor(make_executor(options, *engine_));
  add_live_engine(engine_);
}

Scheduler::~Scheduler() {
  try {
    engine_->check_process();
  } catch (...) {  // the threads are the parent's, so nothing of theirs may be touched
    static_cast<void>(new std::shared_ptr<Engine>(std::move(engine_)));
    return;
  }
  engine_->retire();
  if (engine_->executor().is_stopped()) {
    engine_->cancel_all();
    engine_->executor().start();
  }
  if (is_part_of_own_op(*engine_)) {  // it cannot be waited for here
    std::thread([engine = std::move(engine_)] { drain(*engine); }).detach();
    return;
  }
  drain(*engine_);
}

void Scheduler::submit_op(UnsubmittedOp op) {
  engine_->submit(*op);
  static_cast<void>(op.release());
}

Op Scheduler::launch_op(UnsubmittedOp op) {
  static_cast<void>(extras_of(*op));
  op->shares.store(2, std::memory_order_relaxed);
  try {
    engine_->submit(*op);
  } catch (...) {
    op->shares.store(1, std::memory_order_relaxed);
    throw;
  }
  return Op(*op.release());
}

void Scheduler::wait(const Op& op) { tessera::wait_for(*engine_, op.state()); }

void Scheduler::stop() {
  engine_->check_process();
  check_may_block("stop");
  engine_->executor().stop();
}

void Scheduler::start() {
  engine_->check_process();
  engine_->executor().start();
}

void Scheduler::shut_down(Shutdown how, const Deadline& deadline) {
  engine_->check_process();
  check_may_block("shutdown");
  if (how == Shutdown::cancel) engine_->cancel_all();
  if (engine_->executor().is_stopped()) engine_->executor().start();
  try {
    tessera::shut_down(*engine_, deadline);
  } catch (...) {
    engine_->allow_all();
    throw;
  }
  engine_->allow_all();
}

SchedulerCounters Scheduler::counters() const {
  Executor& executor = engine_->executor();
  SchedulerCounters counters{.pending = engine_->backlog().counts().pending(),
                             .running = executor.running(),
                             .bytes = engine_->backlog().bytes(),
                             .busy = executor.busy()};
  counters.submitted = engine_->backlog().counts().submitted();
  return counters;
}

}  // namespace tessera
