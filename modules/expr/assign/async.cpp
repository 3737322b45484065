module;
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <source_location>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// The scopes of a thread.
namespace tessera {

namespace {

/// Whether views of any buffer may have Vars of their own: until then it is enough to know buffers.
constinit std::atomic<bool> views_have_vars{false};

}  // namespace

struct AsyncScopes : std::enable_shared_from_this<AsyncScopes> {
  std::mutex mutex;  // for beginning and ending: a scope may end on another thread
  std::atomic<Async*> innermost{nullptr};
};

namespace {

constinit thread_local AsyncScopes* scopes_of_thread = nullptr;
constinit thread_local bool thread_has_ended = false;

/// Keeps the scopes of a thread until it ends.
struct ScopesOfThread {
  std::shared_ptr<AsyncScopes> scopes = std::make_shared<AsyncScopes>();
  ScopesOfThread() { scopes_of_thread = scopes.get(); }
  ScopesOfThread(const ScopesOfThread&) = delete;
  ScopesOfThread& operator=(const ScopesOfThread&) = delete;
  ~ScopesOfThread() {
    scopes_of_thread = nullptr;
    thread_has_ended = true;
  }
};

std::shared_ptr<AsyncScopes> scopes_here() {
  std::shared_ptr<void>* const local = local_of_coroutine();
  if (local == nullptr) {
    if (scopes_of_thread != nullptr) return scopes_of_thread->shared_from_this();
    if (thread_has_ended) {  // a scope of one of its objects that end later still: these scopes are kept by themselves
      const auto scopes = std::make_shared<AsyncScopes>();
      scopes_of_thread = scopes.get();
      return scopes;
    }
    thread_local ScopesOfThread of_thread;
    return of_thread.scopes;
  }
  if (*local == nullptr) *local = std::make_shared<AsyncScopes>();
  return std::static_pointer_cast<AsyncScopes>(*local);
}

AsyncScopes* known_scopes() noexcept {
  const std::shared_ptr<void>* const local = local_of_coroutine();
  return local == nullptr ? scopes_of_thread : static_cast<AsyncScopes*>(local->get());
}

}  // namespace

Async::Async(Scheduler& scheduler, const AsyncOptions& options, const std::source_location& where)
    : engine_(scheduler.engine().get()),
      options_(options),
      op_(thread_context().op),
      where_(where),
      scopes_(scopes_here()),
      outer_(nullptr) {
  engine_->check_process();
  buffers_have_vars.store(true, std::memory_order_relaxed);
  if (options.disjoint_views) views_have_vars.store(true, std::memory_order_relaxed);
  if (scopes_.get() == scopes_of_thread) ++thread_context().open_scopes;
  const std::lock_guard lock(scopes_->mutex);
  outer_ = scopes_->innermost.load(std::memory_order_relaxed);
  scopes_->innermost.store(this, std::memory_order_release);
}

Async::~Async() {
  if (scopes_.get() == scopes_of_thread) --thread_context().open_scopes;
  const std::lock_guard lock(scopes_->mutex);
  Async* inner = scopes_->innermost.load(std::memory_order_relaxed);
  if (inner == this) {
    scopes_->innermost.store(outer_, std::memory_order_release);
    if (outer_ == nullptr && thread_has_ended && scopes_of_thread == scopes_.get()) scopes_of_thread = nullptr;
    return;
  }
  while (inner->outer_ != this) inner = inner->outer_;  // scopes do not end in the order in which they began
  inner->outer_ = outer_;
}

Async* current_async() noexcept {
  const AsyncScopes* const scopes = known_scopes();
  if (scopes == nullptr) return nullptr;
  Async* const innermost = scopes->innermost.load(std::memory_order_acquire);
  return innermost != nullptr && innermost->op_ == thread_context().op ? innermost : nullptr;
}

bool views_may_have_vars() noexcept { return views_have_vars.load(std::memory_order_relaxed); }

}  // namespace tessera
