module;
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// What picking by indices says to memory of a GPU.
namespace tessera {

void throw_picked_on_device(const char* what, Place place) {
  throw PlaceError(to_string(Failure{.operation = "indexing",
                                     .problem = std::string(what) + " on " + to_string(place) +
                                                ", and elements are gathered within an expression on the host only",
                                     .advice = "take(x, indices) gathers on a GPU, by indices from the host"}));
}

}  // namespace tessera
