// Tests of the picture of a dependency graph: it is read back as XML, and its boxes and curves are measured.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "records.hpp"
#include "strict_xml.hpp"
import tessera;

using namespace tessera;

namespace {

struct Point {
  double x, y;
};

/// A box of an op, and the texts on it.
struct Node {
  double left, right, top, bottom;
  const Xml* group;
};

std::vector<Node> nodes(const Xml& picture) {
  std::vector<Node> found;
  for (const Xml* group : picture.all("g")) {
    for (const Xml* rect : group->all("rect")) {
      const double left = rect->number("x");
      const double top = rect->number("y");
      found.push_back({left, left + rect->number("width"), top, top + rect->number("height"), group});
    }
  }
  return found;
}

/// The groups of edges, those of the legend left out.
std::vector<const Xml*> edges(const Xml& picture) {
  std::vector<const Xml*> found;
  for (const Xml* group : picture.all("g"))
    if (!group->all("path").empty()) found.push_back(group);
  return found;
}

const Xml& curve(const Xml& edge) {
  for (const Xml* path : edge.all("path"))
    if (path->is("edge")) return *path;
  throw std::runtime_error("an edge without a curve");
}

Point between(const std::array<Point, 4>& p, double t) {
  const double s = 1 - t;
  const auto mean = [&](double a, double b, double c, double d) {
    return s * s * s * a + 3 * s * s * t * b + 3 * s * t * t * c + t * t * t * d;
  };
  return {mean(p[0].x, p[1].x, p[2].x, p[3].x), mean(p[0].y, p[1].y, p[2].y, p[3].y)};
}

/// Points along a path of M, C and L with absolute numbers.
std::vector<Point> points_of(const Xml& path) {
  std::string data = path["d"];
  for (const char letter : {'M', 'C', 'L'}) {
    for (std::size_t at = data.find(letter); at != data.npos; at = data.find(letter, at + 3))
      data.replace(at, 1, std::string(" ") + letter + " ");
  }
  std::istringstream in(data);
  std::vector<Point> found;
  for (char letter = 0; in >> letter;) {
    std::array<Point, 4> p{};
    if (!found.empty()) p[0] = found.back();
    const std::size_t more = letter == 'C' ? 3 : 1;
    for (std::size_t i = 1; i <= more; ++i) in >> p[i].x >> p[i].y;
    if (letter == 'M') {
      found.push_back(p[1]);
      continue;
    }
    for (int step = 1; step <= 20; ++step) {
      const double t = step / 20.0;
      found.push_back(letter == 'C' ? between(p, t)
                                    : Point{p[0].x + t * (p[1].x - p[0].x), p[0].y + t * (p[1].y - p[0].y)});
    }
  }
  return found;
}

bool touches(const Node& node, Point point) {
  return point.x > node.left - 0.5 && point.x < node.right + 0.5 && point.y > node.top - 0.2 &&
         point.y < node.bottom + 0.2;
}

DependencyGraph diamond() {
  DependencyGraph graph;
  graph.add("top", {}, {1});
  graph.add("left", {1}, {2});
  graph.add("right", {1}, {3});
  graph.add("bottom", {2, 3}, {1});
  graph.add("again", {}, {1});
  return graph;
}

}  // namespace

TEST_CASE("each op is one box with its name, and what waits stands below what it waits for") {
  const Xml picture = StrictXml::read(diamond().to_svg());
  const std::vector<Node> boxes = nodes(picture);
  REQUIRE(boxes.size() == 5);
  constexpr std::string_view names[] = {"top", "left", "right", "bottom", "again"};
  for (std::size_t i = 0; i < 5; ++i) CHECK(boxes[i].group->all("text")[0]->text == names[i]);
  CHECK(boxes[0].bottom < boxes[1].top);
  CHECK(boxes[1].top == boxes[2].top);
  CHECK(boxes[2].bottom < boxes[3].top);
  CHECK(boxes[3].bottom < boxes[4].top);
  CHECK(boxes[1].group->title() == "left (op 2)\nreads Var 1\nwrites Var 2");
}

TEST_CASE(
    "each edge says its kind and Vars, and one that hands data over is drawn otherwise than one that keeps an order") {
  const Xml picture = StrictXml::read(diamond().to_svg());
  const std::vector<const Xml*> found = edges(picture);
  REQUIRE(found.size() == 5);
  CHECK(found[0]->title() == "top → left\nread after write of Var 1");
  CHECK(found[4]->title() == "bottom → again\nwrite after write of Var 1");
  CHECK(curve(*found[0])["class"] == "edge");
  CHECK(curve(*found[4])["class"] == "edge again");
}

TEST_CASE("the critical path stands out, and boxes tell how long ops took and how they ended") {
  std::vector ops{record_of<OpRecord>(1, "a", 0, 0, 10), record_of<OpRecord>(2, "short", 0, 10, 15),
                  record_of<OpRecord>(3, "long", 1, 10, 40)};
  ops[0].writes = {1};
  ops[1].reads = ops[2].reads = {1};
  ops[1].outcome = Outcome::failed;
  const Xml picture = StrictXml::read(DependencyGraph(ops).to_svg({.title = "A step"}));
  const std::vector<Node> boxes = nodes(picture);
  REQUIRE(boxes.size() == 3);
  CHECK(boxes[0].group->all("rect")[0]->is("critical"));
  CHECK(boxes[1].group->all("rect")[0]->is("failed"));
  CHECK(boxes[2].group->all("rect")[0]->is("critical"));
  CHECK(boxes[1].group->all("text")[1]->text == "failed");
  CHECK(boxes[2].group->all("text")[1]->text == "30 ns");
  CHECK_FALSE(curve(*edges(picture)[0]).is("main"));
  CHECK(curve(*edges(picture)[1]).is("main"));
  CHECK(picture.all("text")[0]->text == "A step");
  CHECK(picture.all("text")[1]->text == "3 ops, 2 edges, critical path of 2 in 40 ns");
}

TEST_CASE("boxes do not touch, and edges run from box to box and touch no other") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    const DependencyGraph graph(random_records<OpRecord>(20 + seed, 2, 1'000, seed));
    const Xml picture = StrictXml::read(graph.to_svg());
    const std::vector<Node> boxes = nodes(picture);
    const std::vector<const Xml*> drawn = edges(picture);
    REQUIRE(boxes.size() == graph.size());
    REQUIRE(drawn.size() == graph.edges().size());
    for (const Node& a : boxes) {
      CHECK(a.left >= 0);
      CHECK(a.right <= picture.number("width"));
      CHECK(a.bottom <= picture.number("height"));
      for (const Node& b : boxes)
        if (&a != &b && a.left < b.right + 5 && b.left < a.right + 5 && a.top < b.bottom && b.top < a.bottom)
          FAIL_CHECK("seed ", seed, ": boxes overlap at ", a.left, ", ", a.top);
    }
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      const DependencyGraph::Edge& edge = graph.edges()[i];
      const std::vector<Point> points = points_of(curve(*drawn[i]));
      CHECK(touches(boxes[edge.from], points.front()));
      const Point tip{points.back().x, points.back().y + 7};  // the arrow's head
      CHECK(touches(boxes[edge.to], tip));
      for (const Point point : points) {
        CHECK(point.x > 0);
        CHECK(point.x < picture.number("width"));
        for (std::size_t other = 0; other < boxes.size(); ++other)
          if (other != edge.from && other != edge.to && touches(boxes[other], point))
            FAIL_CHECK("seed ", seed, ": the edge ", edge.from, " - ", edge.to, " runs through ", other);
      }
    }
  }
}

TEST_CASE("a tree is drawn without a crossing") {
  DependencyGraph graph;
  graph.add("root", {}, {1});
  for (std::uint64_t i = 2; i < 32; ++i) graph.add("n" + std::to_string(i), {i / 2}, {i});
  const Xml picture = StrictXml::read(graph.to_svg());
  const std::vector<Node> boxes = nodes(picture);
  const auto middle = [&boxes](std::size_t i) { return (boxes[i].left + boxes[i].right) / 2; };
  for (const DependencyGraph::Edge& a : graph.edges())
    for (const DependencyGraph::Edge& b : graph.edges())
      if (boxes[a.from].top == boxes[b.from].top && middle(a.from) < middle(b.from) && middle(a.to) > middle(b.to))
        FAIL_CHECK(a.from, " - ", a.to, " crosses ", b.from, " - ", b.to);
}

TEST_CASE("ops without any edge stand in rows of a readable width") {
  DependencyGraph graph;
  for (std::uint64_t i = 0; i < 200; ++i) graph.add("independent", {}, {i});
  const Xml picture = StrictXml::read(graph.to_svg());
  CHECK(nodes(picture).size() == 200);
  CHECK(picture.number("width") < 1'100);
}

TEST_CASE("of a large graph the first ops are drawn, and the picture says so") {
  DependencyGraph graph;
  for (int i = 0; i < 3'000; ++i) graph.add("step", {1}, {1});
  const Xml picture = StrictXml::read(graph.to_svg({.most_ops = 40}));
  CHECK(nodes(picture).size() == 40);
  CHECK(edges(picture).size() == 39);
  CHECK(picture.all("text")[1]->text == "3,000 ops, 2,999 edges, here the first 40 ops");
}

TEST_CASE("a graph without ops is a picture that says so") {
  const Xml picture = StrictXml::read(DependencyGraph().to_svg());
  CHECK(nodes(picture).empty());
  CHECK(picture.all("text")[1]->text == "no ops");
}

TEST_CASE("names of all kinds stand in the graph as they are") {
  for (const NastyName& name : nasty_names) {
    DependencyGraph graph;
    graph.add(std::string(name.written), {}, {1});
    graph.add(std::string(name.written), {1}, {});
    const Xml picture = StrictXml::read(graph.to_svg({.title = std::string(name.written)}));
    CHECK(nodes(picture)[0].group->title().starts_with(std::string(name.read) + " (op 1)"));
    CHECK(edges(picture)[0]->title().starts_with(std::string(name.read) + " → " + std::string(name.read) + "\n"));
  }
}

TEST_CASE("the graph's picture needs nothing from outside and brings nothing that could clash in a page with others") {
  std::string svg = diamond().to_svg();
  const std::string_view space = "http://www.w3.org/2000/svg";
  svg.erase(svg.find(space), space.size());
  for (const std::string_view foreign : {"http", "url(", "@import", "<script", "href", " id=", "<image", "$"})
    CHECK_MESSAGE(svg.find(foreign) == svg.npos, foreign);
}
