module;
#include <source_location>
module tessera.collective;
import tessera.core;

// Where groups come from, and what is behind them.
namespace tessera {

Group Group::world(const Where& where) {
  try {
    return Group(collective::world_of_process());
  } catch (...) {
    core::rethrow_called_at(where);
  }
}

const collective::Share& collective::share_of(const Group& group) noexcept { return group.group_; }

}  // namespace tessera
