module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:dependency_graph;
import tessera.standard;
import :dependency;
import :trace_record;

// The graph of who waits for whom, and its pictures.
namespace tessera {

/// "read after write" and so on.
std::string_view name_of(DependencyKind kind);

/// What pointing at an op of a graph says.
std::string description_of(const OpRecord& op);

/// How a dependency graph is drawn.
export struct GraphOptions {
  std::string title = "Dependencies";
  std::size_t most_ops = 500;  ///< only so many ops are drawn, the earliest ones; the picture says if there are more
};

/// Ops in the order of their submission and what each of them waits for, transitively reduced: an op that must wait for another
/// one anyway, because something between them does, has no edge to it.
export class DependencyGraph {
 public:
  /// One op waits for another. Ops are named by their indices, 0, 1, ... in the order of submission.
  struct Edge {
    std::size_t from;                 ///< runs first
    std::size_t to;                   ///< waits
    DependencyKind kind;              ///< the first that holds, in the order in which the kinds are declared
    std::vector<std::uint64_t> vars;  ///< the ids of the Vars over which that kind holds, ascending
  };

  DependencyGraph() = default;

  /// The graph of a trace's ops, whose records may stand in any order.
  explicit DependencyGraph(std::span<const OpRecord> records);

  /// Appends an op that accesses the Vars of these ids, and returns its index. An id in both lists is read and written.
  std::size_t add(std::string name, std::vector<std::uint64_t> reads, std::vector<std::uint64_t> writes);

  /// Number of ops.
  std::size_t size() const { return ops_.size(); }

  /// What is known about an op. Throws IndexError if there is no such op.
  const OpRecord& op(std::size_t index) const;

  /// All edges by `to`, those of one op by `from`.
  std::span<const Edge> edges() const { return edges_; }

  /// The ops of the chain that took longest, first to last, each waiting for the one before; of equal ones the first found.
  /// However many workers there are, the ops cannot be done in less time than this chain takes. Empty if nothing took time.
  std::vector<std::size_t> critical_path() const;

  /// The graph in Graphviz's language. Edges that hand data over are solid, others dashed (a write after a write) or dotted (a
  /// write after a read).
  std::string to_dot() const;

  /// A self-contained SVG: layers of ops from top to bottom, with edges drawn as to_dot() describes; the critical path, if there
  /// is one, stands out. Pointing at an op or edge tells more.
  std::string to_svg(const GraphOptions& options = {}) const;

 private:
  void append(OpRecord op);
  void keep_necessary(const std::vector<Conflict>& conflicts, std::size_t to);
  std::vector<bool> reached_from(const std::vector<std::size_t>& descending);

  AccessHistory history_;
  std::vector<OpRecord> ops_;
  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>>
      direct_;                        // for each op all that it waits for, also what the reduction leaves out
  std::vector<std::size_t> seen_by_;  // for each op the last search that came by
};

}  // namespace tessera
