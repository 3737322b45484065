module;
#include <cstdint>
export module tessera.schedule:process;

// Which process this is. A child that was forked has one thread and a copy of everything: what another thread held at that moment, it
// holds for ever.
namespace tessera {

/// 0 in the process in which the library was loaded, one more in each generation of forked children.
std::uint32_t process_number() noexcept;

}  // namespace tessera
