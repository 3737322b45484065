module;
#include <cstddef>
export module tessera.schedule:graph_layout;
import tessera.standard;

// Where the nodes and edges of a layered drawing lie: longest-path layers, barycentre ordering, and positions by least squares.
namespace tessera {

/// A point of an edge in one of the layers.
struct LayoutPoint {
  double x;
  std::size_t layer;
};

/// A drawing from left 0 to right `width`, in layers from the top.
struct GraphLayout {
  std::vector<LayoutPoint> nodes;               ///< the middle of each node
  std::vector<std::vector<LayoutPoint>> edges;  ///< each from its upper node over all layers between to its lower node
  double width = 0;
  std::size_t layers = 0;
};

/// How far nodes keep apart.
struct LayoutGaps {
  double between_nodes;
  double beside_edges;
  double row_width;  ///< nodes without any edge are put into rows of about this width, below the others
};

/// Places nodes of given widths. Each edge goes from a lower to a higher node number.
GraphLayout layered_layout(std::span<const double> widths, std::span<const std::pair<std::size_t, std::size_t>> edges,
                           const LayoutGaps& gaps);

}  // namespace tessera
