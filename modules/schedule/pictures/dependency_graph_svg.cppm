export module tessera.schedule:dependency_graph_svg;
import tessera.standard;
import :dependency_graph;

// The drawing of a dependency graph.
namespace tessera {

/// What DependencyGraph::to_svg returns.
std::string svg_of(const DependencyGraph& graph, const GraphOptions& options);

}  // namespace tessera
