module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:access_list;
import tessera.standard;
import :op_state;
import :var;
import :parameter;

// What an op reads and writes, when that is found out while it is made.
namespace tessera::schedule {

/// The Vars that an op reads and writes, named one by one; of a Var that is named more than once the op does all that was said.
export class AccessList {
 public:
  AccessList() = default;
  AccessList(const AccessList&) = delete;
  AccessList& operator=(const AccessList&) = delete;

  // They throw std::bad_alloc, and SchedulerError for a parameter of no recording that is being made.
  inline void reads(const Var& var) { add(var.state(), Access::read_bit); }
  inline void writes(const Var& var) { add(var.state(), Access::write_bit); }
  inline void changes(const Var& var) { add(var.state(), Access::read_bit | Access::write_bit); }
  inline void reads(const ParameterSlot& slot) { add(stand_in_of(slot), Access::read_bit); }
  inline void writes(const ParameterSlot& slot) { add(stand_in_of(slot), Access::write_bit); }

  /// Writes the accesses into an op that has none. Throws SchedulerError, std::bad_alloc.
  void declare(OpState& op) const;

 private:
  inline void add(const VarState* var, std::uintptr_t bits) {
    const std::uintptr_t tagged = reinterpret_cast<std::uintptr_t>(var) | bits;
    if (count_ < few) {
      first_[count_++] = tagged;
    } else {
      more_.push_back(tagged);
    }
  }

  static constexpr std::size_t few = 8;
  std::array<std::uintptr_t, few> first_;  // addresses of Vars, and how
  std::size_t count_ = 0;
  std::vector<std::uintptr_t> more_;
};

}  // namespace tessera::schedule
