module;
#include <cstddef>
export module tessera.schedule:layer_order;
import tessera.standard;

// The order of slots within the layers of a drawing, chosen for few crossings of edges.
namespace tessera {

/// The neighbours of a slot in the layers above and below.
struct SlotLinks {
  std::vector<std::size_t> above;
  std::vector<std::size_t> below;
};

/// Reorders each layer. `links` has an entry for each slot, and each slot stands in one layer.
void order_layers(std::vector<std::vector<std::size_t>>& layers, const std::vector<SlotLinks>& links);

}  // namespace tessera
