module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:begun_coroutines;
import tessera.standard;
import :op_state;
import :spin_lock;

// The coroutine ops that have begun and have not ended: nobody but they themselves, or whom they await, can end them.
namespace tessera {

class BegunCoroutines {
 public:
  BegunCoroutines() = default;
  BegunCoroutines(const BegunCoroutines&) = delete;
  BegunCoroutines& operator=(const BegunCoroutines&) = delete;

  void add(OpState& op) noexcept;
  void remove(OpState& op) noexcept;

  /// "op 'a' (file.cpp:3), op 'b' (file.cpp:9) and 5 more"; empty if there are none. Throws std::bad_alloc.
  std::string description() const;

 private:
  struct alignas(64) List {
    mutable SpinLock lock;
    OpState* first = nullptr;
  };
  static constexpr std::size_t lists = 8;  // so that threads seldom meet

  inline List& list_of(const OpState& op) noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(&op);
    return lists_[(address >> 6 ^ address >> 12) % lists];
  }

  std::array<List, lists> lists_{};
};

}  // namespace tessera
