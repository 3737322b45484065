module;
#include <cstddef>
export module tessera.collective:protocol;
import tessera.standard;
import :progress;

// The steps of a collective, written down as a coroutine: it computes, and awaits agreements and transfers. Whoever drives it waits for them in the way
// that is right there: by asking until it has ended, or as an op that gives up its turn.
namespace tessera::collective {

class [[nodiscard]] Protocol {
 public:
  struct promise_type {
    struct Awaiter {
      Pending* awaited;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<promise_type> handle) const noexcept {
        handle.promise().awaited = awaited;
      }
      void await_resume() const noexcept {}
    };

    promise_type() = default;
    inline Protocol get_return_object() { return Protocol(std::coroutine_handle<promise_type>::from_promise(*this)); }
    inline std::suspend_always initial_suspend() noexcept { return {}; }
    inline std::suspend_always final_suspend() noexcept { return {}; }
    inline void return_void() noexcept {}
    inline void unhandled_exception() noexcept { failure = std::current_exception(); }
    inline Awaiter await_transform(Pending& pending) noexcept { return {&pending}; }
    /// The steps of another one, in between.
    inline Awaiter await_transform(Protocol& steps) noexcept {
      inner = &steps;
      return {nullptr};
    }

    Pending* awaited = nullptr;
    Protocol* inner = nullptr;
    std::exception_ptr failure;
  };

  Protocol() = default;
  Protocol(Protocol&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Protocol& operator=(Protocol&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Protocol() {
    if (handle_) handle_.destroy();
  }

  /// Computes until it awaits something, which it returns, or has ended: then null. Throws what a step has thrown. Who calls it again has waited. What
  /// has failed is never resumed: the engine may still use what the steps hold.
  Pending* go_on() {
    promise_type& promise = handle_.promise();
    for (;;) {
      if (promise.inner != nullptr) {
        if (Pending* const awaited = promise.inner->go_on()) return awaited;
        promise.inner = nullptr;
      }
      handle_.resume();
      if (promise.failure) std::rethrow_exception(promise.failure);
      if (handle_.done()) return nullptr;
      if (promise.inner == nullptr) return promise.awaited;
    }
  }

 private:
  explicit Protocol(std::coroutine_handle<promise_type> handle) noexcept : handle_(handle) {}

  std::coroutine_handle<promise_type> handle_;
};

}  // namespace tessera::collective
