module;
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.schedule;

// The drawing of a dependency graph: heading, legend, edges, and nodes above them.
namespace tessera {

namespace {

constexpr double margin = 16;
constexpr double graph_top = 96;
constexpr double node_height = 38;
constexpr double layer_height = 78;
constexpr double narrowest_node = 56;
constexpr double widest_name = 17;  // in units of the font's size
constexpr double font_size = 12;
constexpr double arrow_length = 7;
constexpr double narrowest_picture = 480;

constexpr std::string_view style = R"(
.$ .node { fill: #eef3fe; stroke: #2456c7 } .$ .critical { fill: #2456c7; stroke: #2456c7 }
.$ .node.failed { fill: #c2570c; stroke: #c2570c } .$ .node.skipped, .$ .node.cancelled { fill: #ffffff; stroke: #5f636d }
.$ .on { fill: #ffffff } .$ .soft.on { fill-opacity: .85 } .$ g:hover .node { stroke-width: 2 }
.$ .edge { fill: none; stroke: #5f636d; stroke-width: 1.4 } .$ .again { stroke-dasharray: 6 4 } .$ .after { stroke-dasharray: 1.5 3.5 }
.$ .head { stroke: #5f636d; stroke-width: 1.2; fill: #5f636d } .$ .open { fill: #ffffff }
.$ .edge.main { stroke: #2456c7; stroke-width: 2.6 } .$ .head.main { stroke: #2456c7 } .$ .head.main.data { fill: #2456c7 }
.$ .near { fill: none; stroke: none; stroke-width: 12; pointer-events: stroke } .$ g:hover > .edge { stroke-width: 3 })";
constexpr std::string_view dark = R"(
.$ .node { fill: #1c2740; stroke: #5f92f7 } .$ .critical { fill: #5f92f7; stroke: #5f92f7 } .$ .node.failed { fill: #f79a54; stroke: #f79a54 }
.$ .node.skipped, .$ .node.cancelled { fill: #1a1d23; stroke: #a0a5b1 }
.$ .on { fill: #0d1016 }
.$ .edge { stroke: #a0a5b1 } .$ .head { stroke: #a0a5b1; fill: #a0a5b1 } .$ .open { fill: #1a1d23 }
.$ .edge.main { stroke: #5f92f7 } .$ .head.main { stroke: #5f92f7 } .$ .head.main.data { fill: #5f92f7 })";

constexpr std::array kinds{DependencyKind::read_after_write, DependencyKind::write_after_write,
                           DependencyKind::write_after_read};

struct Place {
  double x, y;
};

std::string at(Place place) { return decimal(place.x, 1) + " " + decimal(place.y, 1); }

/// The smaller of two slopes, or level where they differ in sign, so that a curve does not swing out.
double gentler(double before, double after) {
  if (before * after <= 0) return 0;
  return std::abs(before) < std::abs(after) ? before : after;
}

std::string_view edge_classes(DependencyKind kind) {
  switch (kind) {
    case DependencyKind::read_after_write: return "edge";
    case DependencyKind::write_after_write: return "edge again";
    case DependencyKind::write_after_read: return "edge after";
  }
  return "edge";
}

std::string_view legend_text(DependencyKind kind) {
  switch (kind) {
    case DependencyKind::read_after_write: return "reads what was written";
    case DependencyKind::write_after_write: return "writes it again";
    case DependencyKind::write_after_read: return "writes what was read";
  }
  return "";
}

std::string path(std::string_view classes, std::string_view data) {
  return "<path class=\"" + std::string(classes) + "\" d=\"" + std::string(data) + "\"/>";
}

std::string head_down(Place tip, std::string_view classes) { return path(classes, "M" + at(tip) + "l-3.5 -7h7z"); }
std::string head_right(Place tip, std::string_view classes) { return path(classes, "M" + at(tip) + "l-7 -3.5v7z"); }

std::string head_classes(DependencyKind kind, bool is_critical) {
  std::string classes = kind == DependencyKind::read_after_write ? "head data" : "head open";
  return is_critical ? classes + " main" : classes;
}

/// Draws the first ops of one graph.
class GraphPicture {
 public:
  GraphPicture(const DependencyGraph& graph, const GraphOptions& options)
      : graph_(graph), options_(options), count_(std::min(graph.size(), options.most_ops)), is_critical_(graph.size()) {
    critical_ = graph.critical_path();
    for (const std::size_t op : critical_) is_critical_[op] = true;
    for (const DependencyGraph::Edge& edge : graph.edges())
      if (edge.to < count_) edges_.push_back(&edge);
    for (std::size_t op = 0; op < count_; ++op) names_.push_back(shortened(graph.op(op).name, widest_name));
    arrange();
    spread_ports();
  }

  std::string draw() const {
    const double layers = static_cast<double>(layout_.layers);
    const double height = graph_top + std::max(0.0, (layers - 1) * layer_height) + node_height + margin;
    std::string svg =
        opened_picture("tessera-graph", options_.title + ": " + summary(), width(), height, style, dark) + heading();
    for (std::size_t i = 0; i < edges_.size(); ++i) svg += drawn_edge(i) + "\n";
    for (std::size_t op = 0; op < count_; ++op) svg += drawn_op(op) + "\n";
    return svg + "</svg>\n";
  }

 private:
  double width() const { return std::max(narrowest_picture, layout_.width + 2 * margin); }
  double left() const { return (width() - layout_.width) / 2; }
  double node_width(std::size_t op) const {
    const double name = text_width(names_[op]) * font_size;
    return std::max(narrowest_node, std::max(name, text_width(time_of(op)) * 11) + 20);
  }
  static double top_of(std::size_t layer) { return graph_top + layer_height * static_cast<double>(layer); }

  std::string time_of(std::size_t op) const {
    const OpRecord& record = graph_.op(op);
    if (record.outcome != Outcome::succeeded) return std::string(to_string(record.outcome));
    return has_run(record) ? duration(record.end - record.start) : "";
  }

  void arrange() {
    std::vector<double> widths;
    for (std::size_t op = 0; op < count_; ++op) widths.push_back(node_width(op));
    std::vector<std::pair<std::size_t, std::size_t>> ends;
    for (const DependencyGraph::Edge* edge : edges_) ends.push_back({edge->from, edge->to});
    layout_ = layered_layout(widths, ends, {.between_nodes = 22, .beside_edges = 14, .row_width = 900});
  }

  /// Edges that meet at a node touch it side by side, in the order of where they come from and go to.
  void spread_ports() {
    leaves_.resize(edges_.size());
    arrives_.resize(edges_.size());
    std::vector<std::vector<std::size_t>> out(count_);
    std::vector<std::vector<std::size_t>> in(count_);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      out[edges_[i]->from].push_back(i);
      in[edges_[i]->to].push_back(i);
    }
    for (std::size_t op = 0; op < count_; ++op) {
      std::ranges::sort(out[op], {}, [this](std::size_t i) { return std::pair(layout_.edges[i][1].x, i); });
      std::ranges::sort(in[op], {}, [this](std::size_t i) { return std::pair(layout_.edges[i].end()[-2].x, i); });
      spread(op, out[op], leaves_);
      spread(op, in[op], arrives_);
    }
  }

  void spread(std::size_t op, const std::vector<std::size_t>& edges, std::vector<double>& ports) const {
    const double gap =
        std::min(14.0, (node_width(op) - 20) / static_cast<double>(std::max<std::size_t>(1, edges.size())));
    const double first = layout_.nodes[op].x - gap * (static_cast<double>(edges.size()) - 1) / 2;
    for (std::size_t k = 0; k < edges.size(); ++k) ports[edges[k]] = first + gap * static_cast<double>(k);
  }

  std::string summary() const {
    if (graph_.size() == 0) return "no ops";
    std::string text = grouped(graph_.size()) + (graph_.size() == 1 ? " op, " : " ops, ") +
                       grouped(graph_.edges().size()) + (graph_.edges().size() == 1 ? " edge" : " edges");
    if (count_ < graph_.size()) text += ", here the first " + grouped(count_) + " ops";
    if (critical_.empty()) return text;
    std::int64_t longest = 0;
    for (const std::size_t op : critical_)
      longest += std::max<std::int64_t>(0, graph_.op(op).end - graph_.op(op).start);
    return text + ", critical path of " + grouped(critical_.size()) + " in " + duration(longest);
  }

  std::string heading() const {
    std::string svg = text_at(margin, 30, "title", shortened(options_.title, (width() - 2 * margin) / 15)) +
                      text_at(margin, 49, "soft", summary()) + "\n";
    double x = margin;
    for (const DependencyKind kind : kinds) {
      if (std::ranges::find(edges_, kind, &DependencyGraph::Edge::kind) == edges_.end()) continue;
      svg += path(edge_classes(kind), "M" + at({x, 69}) + "h22") + head_right({x + 28, 69}, head_classes(kind, false)) +
             text_at(x + 34, 73, "soft", legend_text(kind)) + "\n";
      x += 34 + text_width(legend_text(kind)) * 11 + 14;
    }
    return svg;
  }

  /// A curve that is vertical at nodes, and straight and steep where it passes between nodes, so that it touches none.
  std::string course(std::size_t index) const {
    constexpr double most_aside = 10;  // less than the gap beside an edge
    const std::vector<LayoutPoint>& points = layout_.edges[index];
    Place from{left() + leaves_[index], top_of(points.front().layer) + node_height};
    double leaving = 0;  // slope, x by y
    std::string data = "M" + at(from);
    for (std::size_t i = 1; i < points.size(); ++i) {
      const bool is_last = i + 1 == points.size();
      const double lean = is_last ? 0 : gentler(points[i].x - points[i - 1].x, points[i + 1].x - points[i].x);
      const double aside = std::clamp(lean * node_height / layer_height / 2, -most_aside, most_aside);
      const double slope = aside / (node_height / 2);
      const double top = top_of(points[i].layer);
      const Place to =
          is_last ? Place{left() + arrives_[index], top - arrow_length} : Place{left() + points[i].x - aside, top};
      const double reach = (to.y - from.y) / 2;
      data += "C" + at({from.x + leaving * reach, from.y + reach}) + " " + at({to.x - slope * reach, to.y - reach}) +
              " " + at(to);
      from = {to.x + 2 * aside, to.y + node_height};
      leaving = slope;
      if (!is_last) data += "L" + at(from);
    }
    return data;
  }

  std::string drawn_edge(std::size_t index) const {
    const DependencyGraph::Edge& edge = *edges_[index];
    const auto place = std::ranges::find(critical_, edge.from);
    const bool is_critical = place != critical_.end() && place + 1 != critical_.end() && place[1] == edge.to;
    const std::string data = course(index);
    const std::string text = graph_.op(edge.from).name + " → " + graph_.op(edge.to).name + "\n" +
                             std::string(name_of(edge.kind)) + " of " + var_list(edge.vars);
    return "<g><title>" + xml_escaped(text) + "</title>" + path("near", data) +
           path(std::string(edge_classes(edge.kind)) + (is_critical ? " main" : ""), data) +
           head_down({left() + arrives_[index], top_of(layout_.nodes[edge.to].layer) - 1},
                     head_classes(edge.kind, is_critical)) +
           "</g>";
  }

  std::string node_classes(std::size_t op) const {
    const Outcome outcome = graph_.op(op).outcome;
    if (outcome != Outcome::succeeded) return std::string("node ") + std::string(to_string(outcome));
    return is_critical_[op] ? "node critical" : "node";
  }

  std::string drawn_op(std::size_t op) const {
    const OpRecord& record = graph_.op(op);
    const double x = left() + layout_.nodes[op].x;
    const double top = top_of(layout_.nodes[op].layer);
    const bool is_filled =
        record.outcome == Outcome::failed || (record.outcome == Outcome::succeeded && is_critical_[op]);
    const std::string on = is_filled ? " on" : "";
    const std::string time = time_of(op);
    return "<g><title>" + xml_escaped(description_of(record)) + "</title>" +
           box(x - node_width(op) / 2, top, node_width(op), node_height, 7, node_classes(op)) +
           text_at(x, top + (time.empty() ? 23 : 17), "middle" + on, names_[op]) +
           (time.empty() ? "" : text_at(x, top + 31, "soft middle" + on, time)) + "</g>";
  }

  const DependencyGraph& graph_;
  const GraphOptions& options_;
  std::size_t count_;
  std::vector<const DependencyGraph::Edge*> edges_;
  std::vector<std::string> names_;
  std::vector<std::size_t> critical_;
  std::vector<bool> is_critical_;
  GraphLayout layout_;
  std::vector<double> leaves_;   // where each edge touches its upper node
  std::vector<double> arrives_;  // and its lower one
};

}  // namespace

std::string svg_of(const DependencyGraph& graph, const GraphOptions& options) {
  return GraphPicture(graph, options).draw();
}

}  // namespace tessera
