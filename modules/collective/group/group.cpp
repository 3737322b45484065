module;
#include <source_location>
module tessera.collective;
import tessera.core;

// Where groups come from.
namespace tessera {

Group Group::world(const Where& where) {
  try {
    return Group(collective::world_of_process());
  } catch (...) {
    core::rethrow_called_at(where);
  }
}

}  // namespace tessera
