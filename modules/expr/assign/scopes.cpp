module;
#include <atomic>
#include <memory>
#include <mutex>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// The scopes of threads and of coroutine ops.
namespace tessera {

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

AsyncScopes* known_scopes() noexcept {
  const std::shared_ptr<void>* const local = schedule::local_of_coroutine();
  return local == nullptr ? scopes_of_thread : static_cast<AsyncScopes*>(local->get());
}

}  // namespace

std::shared_ptr<AsyncScopes> AsyncScopes::here() {
  std::shared_ptr<void>* const local = schedule::local_of_coroutine();
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

void AsyncScopes::begin(Async& scope) {
  if (this == scopes_of_thread) ++schedule::thread_context().open_scopes;
  const std::lock_guard lock(mutex_);
  scope.outer_ = innermost_.load(std::memory_order_relaxed);
  innermost_.store(&scope, std::memory_order_release);
}

void AsyncScopes::end(const Async& scope) {
  if (this == scopes_of_thread) --schedule::thread_context().open_scopes;
  const std::lock_guard lock(mutex_);
  Async* inner = innermost_.load(std::memory_order_relaxed);
  if (inner == &scope) {
    innermost_.store(scope.outer_, std::memory_order_release);
    if (scope.outer_ == nullptr && thread_has_ended && scopes_of_thread == this) scopes_of_thread = nullptr;
    return;
  }
  while (inner->outer_ != &scope) inner = inner->outer_;  // scopes do not end in the order in which they began
  inner->outer_ = scope.outer_;
}

Async* current_async() noexcept {
  const AsyncScopes* const scopes = known_scopes();
  if (scopes == nullptr) return nullptr;
  Async* const innermost = scopes->innermost_.load(std::memory_order_acquire);
  return innermost != nullptr && innermost->op_ == schedule::thread_context().op ? innermost : nullptr;
}

}  // namespace tessera
