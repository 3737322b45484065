module;
#include <cstddef>
export module tessera.expr:task_memory;
import tessera.standard;
import :workspaces;

// Memory for the tasks of a product: of their stacks if it is little, of the pool otherwise.
namespace tessera::plan {

/// One piece for each task that runs, taken before the first of them begins.
class TaskMemory {
 public:
  /// Pieces of `bytes` bytes, aligned to 64, for so many tasks. Throws OutOfMemory.
  TaskMemory(std::ptrdiff_t tasks, std::ptrdiff_t bytes) {
    if (bytes > stack_bytes) pieces_.emplace(tasks, bytes);
  }

  /// Calls body with a piece.
  template <class Body>
  void use(const Body& body) {
    if (!pieces_) return use_stack(body);
    const Workspaces::Piece piece(*pieces_);
    body(piece.data());
  }

 private:
  static constexpr std::ptrdiff_t stack_bytes = 16384;

  template <class Body>
  [[gnu::noinline]] static void use_stack(const Body& body) {
    alignas(64) std::byte room[stack_bytes];
    body(static_cast<std::byte*>(room));
  }

  std::optional<Workspaces> pieces_;
};

}  // namespace tessera::plan
