module;
#include <atomic>
#include <chrono>
#include <compare>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>
export module tessera.standard:threads;

// Names of what threads share, of memory, and of clocks; all those of <coroutine>.
// NOLINTBEGIN(bugprone-std-namespace-modification): the names are the library's own, passed on.
export namespace std {

// atomic, condition_variable, mutex
using std::atomic;
using std::atomic_signal_fence;
using std::atomic_thread_fence;
using std::condition_variable;
using std::cv_status;
using std::lock_guard;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;
using std::mutex;
using std::unique_lock;

// coroutine, stop_token
using std::coroutine_handle;
using std::coroutine_traits;
using std::noop_coroutine;
using std::noop_coroutine_handle;
using std::noop_coroutine_promise;
using std::stop_source;
using std::stop_token;
using std::suspend_always;
using std::suspend_never;

// memory
using std::addressof;
using std::destroy_at;
using std::enable_shared_from_this;
using std::make_unique;
using std::shared_ptr;
using std::unique_ptr;
using std::weak_ptr;

// of all of them
using std::operator!=;
using std::operator<=>;
using std::operator==;

namespace pmr {
using std::pmr::memory_resource;
}  // namespace pmr

namespace this_thread {
using std::this_thread::sleep_for;
using std::this_thread::yield;
}  // namespace this_thread

namespace chrono {
using std::chrono::ceil;
using std::chrono::duration;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::operator*;
using std::chrono::operator+;
using std::chrono::operator-;
using std::chrono::operator/;
using std::chrono::operator<;
using std::chrono::operator<=;
using std::chrono::operator<=>;
using std::chrono::operator==;
using std::chrono::operator>;
using std::chrono::operator>=;
using std::chrono::steady_clock;
}  // namespace chrono

}  // namespace std
// NOLINTEND(bugprone-std-namespace-modification)

namespace tessera {

/// std::make_shared, which is not exported itself: clang 19 refuses to instantiate shared_ptr, whose friend that is, where both its header and a
/// using-declaration of it are in sight.
export template <class T, class... Args>
std::shared_ptr<T> make_shared_object(Args&&... args) {
  return std::make_shared<T>(std::forward<Args>(args)...);
}

}  // namespace tessera
