export module tessera.expr:scopes;
import tessera.standard;
import tessera.schedule;

// Which Async scope a thread is in.
namespace tessera {

export class Async;

/// Scopes of one thread, or of one coroutine op, which takes them along from thread to thread.
class AsyncScopes : public std::enable_shared_from_this<AsyncScopes> {
 public:
  /// Those of this thread, or of the coroutine op that it runs.
  static std::shared_ptr<AsyncScopes> here();

  /// From now on the scope is the innermost one.
  void begin(Async& scope);
  /// Scopes may end in any order, and on another thread than they began on.
  void end(const Async& scope);

 private:
  friend Async* current_async() noexcept;

  std::mutex mutex_;  // for beginning and ending
  std::atomic<Async*> innermost_{nullptr};
};

/// The innermost scope that assignments of this thread belong to, or nullptr.
Async* current_async() noexcept;

}  // namespace tessera
