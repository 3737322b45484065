module;
#include <cstdint>
export module tessera.schedule:process;
import tessera.standard;

// Which process this is. A child that was forked has one thread and a copy of everything: what another thread held at that moment, it
// holds for ever.
namespace tessera {

/// 0 in the process in which the library was loaded, one more in each generation of forked children.
std::uint32_t process_number() noexcept;

/// The T of this process, made at first use and never destroyed. A child process makes its own, for threads of its parent's are not in it.
template <class T>
T& of_process() {
  static std::atomic<T*> current{nullptr};
  static std::atomic<std::uint32_t> process{0};
  static std::mutex mutex;
  const auto made_here = []() -> T* {
    return process.load(std::memory_order_acquire) == process_number() ? current.load(std::memory_order_acquire)
                                                                       : nullptr;
  };
  if (T* const made = made_here()) return *made;
  const std::lock_guard lock(mutex);
  if (T* const made = made_here()) return *made;
  T* const made = new T;
  // The object before the number, by which a child's threads know it from their parent's.
  current.store(made, std::memory_order_release);
  process.store(process_number(), std::memory_order_release);
  return *made;
}

}  // namespace tessera
