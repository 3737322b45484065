// Tests of the dependency graph: its edges against a slow search for what must wait for what, and its texts in DOT.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "records.hpp"
#include "strict_dot.hpp"
import tessera;

using namespace tessera;

namespace {

using enum DependencyKind;
using Vars = std::vector<std::uint64_t>;
using Relation = std::vector<std::vector<bool>>;

/// An edge as one text, so that a failing check shows it.
std::string spelled(const DependencyGraph::Edge& edge) {
  constexpr std::string_view kinds[] = {"reads what it wrote", "writes again", "writes what it read"};
  std::string text = std::to_string(edge.to) + " after " + std::to_string(edge.from) + ": " +
                     std::string(kinds[static_cast<std::size_t>(edge.kind)]) + ":";
  for (const std::uint64_t var : edge.vars) text += " " + std::to_string(var);
  return text;
}

std::vector<std::string> edges(const DependencyGraph& graph) {
  std::vector<std::string> found;
  for (const DependencyGraph::Edge& edge : graph.edges()) found.push_back(spelled(edge));
  return found;
}

bool holds(const Vars& vars, std::uint64_t var) { return std::ranges::find(vars, var) != vars.end(); }

/// Whether two ops access a Var that at least one of them writes: the definition that everything else follows from.
bool conflict(const OpRecord& a, const OpRecord& b) {
  const auto meets = [](const Vars& writes, const OpRecord& other) {
    return std::ranges::any_of(writes,
                               [&](std::uint64_t var) { return holds(other.reads, var) || holds(other.writes, var); });
  };
  return meets(a.writes, b) || meets(b.writes, a);
}

/// relation[i][j]: j must wait for i, directly or through others.
void close(Relation& relation) {
  for (std::size_t k = 0; k < relation.size(); ++k)
    for (std::size_t i = 0; i < relation.size(); ++i)
      for (std::size_t j = 0; j < relation.size(); ++j)
        if (relation[i][k] && relation[k][j]) relation[i][j] = true;
}

Relation must_wait(std::span<const OpRecord> ops) {
  Relation relation(ops.size(), std::vector<bool>(ops.size()));
  for (std::size_t i = 0; i < ops.size(); ++i)
    for (std::size_t j = i + 1; j < ops.size(); ++j) relation[i][j] = conflict(ops[i], ops[j]);
  close(relation);
  return relation;
}

/// Whether an op between two others waits for the first and is waited for by the second.
bool has_way_round(const Relation& relation, std::size_t from, std::size_t to) {
  for (std::size_t k = from + 1; k < to; ++k)
    if (relation[from][k] && relation[k][to]) return true;
  return false;
}

/// The index of the last op before `to` that writes a Var, or `none`.
constexpr std::size_t none = SIZE_MAX;
std::size_t last_writer(std::span<const OpRecord> ops, std::size_t to, std::uint64_t var) {
  for (std::size_t i = to; i-- > 0;)
    if (holds(ops[i].writes, var)) return i;
  return none;
}

DependencyKind kind_between(std::span<const OpRecord> ops, std::size_t from, std::size_t to) {
  for (const std::uint64_t var : ops[to].reads)
    if (last_writer(ops, to, var) == from) return read_after_write;
  for (const std::uint64_t var : ops[to].writes)
    if (last_writer(ops, to, var) == from) return write_after_write;
  return write_after_read;
}

std::vector<OpRecord> some_ops(unsigned seed) { return random_records<OpRecord>(5 + seed % 40, 2, 100, seed); }

}  // namespace

TEST_CASE("an op waits for who wrote what it reads, and for who reads or writes what it writes") {
  DependencyGraph graph;
  CHECK(graph.add("write", {}, {1}) == 0);
  CHECK(graph.add("read", {1}, {2}) == 1);
  CHECK(graph.add("write again", {}, {1}) == 2);
  CHECK(graph.add("and again", {}, {1}) == 3);
  CHECK(graph.add("unrelated", {8}, {9}) == 4);
  CHECK(edges(graph) == std::vector<std::string>{"1 after 0: reads what it wrote: 1",
                                                 "2 after 1: writes what it read: 1", "3 after 2: writes again: 1"});
  CHECK(graph.size() == 5);
  CHECK(graph.op(4).name == "unrelated");
}

// --8<-- [start:dependency_graph]
TEST_CASE("the graph of three ops, and its pictures") {
  DependencyGraph graph;
  constexpr std::uint64_t weights = 1;
  constexpr std::uint64_t gradient = 2;
  graph.add("forward", {weights}, {});
  graph.add("backward", {weights}, {gradient});
  graph.add("update", {gradient}, {weights});
  CHECK(graph.edges().size() == 2);
  CHECK(graph.edges()[0].kind == DependencyKind::write_after_read);  // update waits for forward
  CHECK(graph.edges()[1].kind == DependencyKind::read_after_write);  // and for backward's gradient
  CHECK(graph.to_dot().starts_with("digraph"));
  CHECK(graph.to_svg({.title = "One step"}).starts_with("<svg"));
}
// --8<-- [end:dependency_graph]

TEST_CASE("readers of one Var do not wait for each other, and the next writer waits for all of them") {
  DependencyGraph graph;
  graph.add("a", {1}, {});
  graph.add("b", {1}, {});
  graph.add("c", {1}, {});
  CHECK(graph.edges().empty());
  graph.add("d", {}, {1});
  CHECK(edges(graph) == std::vector<std::string>{"3 after 0: writes what it read: 1",
                                                 "3 after 1: writes what it read: 1",
                                                 "3 after 2: writes what it read: 1"});
}

TEST_CASE("a Var that is named twice, also in both lists, counts once, as read and written") {
  DependencyGraph graph;
  graph.add("a", {}, {1, 1});
  graph.add("b", {1, 1}, {1});
  graph.add("c", {1}, {});
  CHECK(edges(graph) ==
        std::vector<std::string>{"1 after 0: reads what it wrote: 1", "2 after 1: reads what it wrote: 1"});
}

TEST_CASE("between two ops stands one edge, of the strongest kind and with all Vars of that kind") {
  DependencyGraph graph;
  graph.add("a", {7}, {1, 2, 3});
  graph.add("b", {3, 1}, {7, 2});
  CHECK(edges(graph) == std::vector<std::string>{"1 after 0: reads what it wrote: 1 3"});
}

TEST_CASE("an edge that follows from others is left out, also when it would hand data over") {
  DependencyGraph graph;
  graph.add("a", {}, {1});
  graph.add("b", {1}, {2});
  graph.add("c", {1, 2}, {3});
  CHECK(edges(graph) ==
        std::vector<std::string>{"1 after 0: reads what it wrote: 1", "2 after 1: reads what it wrote: 2"});
}

TEST_CASE("random graphs order exactly what must be ordered, without an edge too many") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::vector<OpRecord> ops = some_ops(seed);
    const DependencyGraph graph(ops);
    const Relation expected = must_wait(ops);
    Relation found(ops.size(), std::vector<bool>(ops.size()));
    for (const DependencyGraph::Edge& edge : graph.edges()) {
      REQUIRE(edge.from < edge.to);
      found[edge.from][edge.to] = true;
      if (has_way_round(expected, edge.from, edge.to)) FAIL_CHECK("seed ", seed, ", needless: ", spelled(edge));
      CHECK(edge.kind == kind_between(ops, edge.from, edge.to));
      CHECK(std::ranges::is_sorted(edge.vars));
      CHECK_FALSE(edge.vars.empty());
    }
    close(found);
    if (found != expected) FAIL_CHECK("seed ", seed, ": another order");
  }
}

TEST_CASE("records may come in any order") {
  std::vector ops = random_records<OpRecord>(100, 2, 100, 7);
  const std::vector<std::string> in_order = edges(DependencyGraph(ops));
  std::ranges::shuffle(ops, std::mt19937(1));
  CHECK(edges(DependencyGraph(ops)) == in_order);
}

TEST_CASE("a long chain whose ops all read one old Var is reduced to a chain") {
  DependencyGraph graph;
  graph.add("constants", {}, {1});
  for (int i = 0; i < 20'000; ++i) graph.add("step", {1}, {2});
  CHECK(graph.edges().size() == 20'000);
}

TEST_CASE("the critical path is the chain that takes longest") {
  std::vector ops{record_of<OpRecord>(1, "a", 0, 0, 10), record_of<OpRecord>(2, "short", 0, 10, 15),
                  record_of<OpRecord>(3, "long", 1, 10, 40), record_of<OpRecord>(4, "join", 0, 40, 45),
                  record_of<OpRecord>(5, "alone", 0, 45, 85)};
  ops[0].writes = {1};
  ops[1].reads = ops[2].reads = {1};
  ops[1].writes = {2};
  ops[2].writes = {3};
  ops[3].reads = {2, 3};
  CHECK(DependencyGraph(ops).critical_path() == std::vector<std::size_t>{0, 2, 3});
  ops[4].end += 10;
  CHECK(DependencyGraph(ops).critical_path() == std::vector<std::size_t>{4});
}

TEST_CASE("without times there is no critical path") {
  DependencyGraph graph;
  CHECK(graph.critical_path().empty());
  graph.add("a", {}, {1});
  graph.add("b", {1}, {});
  CHECK(graph.critical_path().empty());
}

TEST_CASE("asking for an op that does not exist is an error that says how many there are") {
  DependencyGraph graph;
  graph.add("a", {}, {});
  CHECK_THROWS_WITH_AS(graph.op(1), "DependencyGraph::op: op 1 of 1 does not exist", IndexError);
}

TEST_CASE("DOT has every op and edge, with the kinds of edges told apart") {
  DependencyGraph graph;
  graph.add("a", {}, {1});
  graph.add("b", {1}, {2});
  graph.add("c", {}, {1});
  graph.add("d", {}, {1});
  const Dot dot = DotReader::read(graph.to_dot());
  CHECK(dot.nodes.size() == 2 + 4);  // two are the defaults of nodes and edges
  CHECK(dot.nodes.at("op1").at("label") == "b");
  CHECK(dot.nodes.at("op1").at("tooltip") == "b (op 2)\nreads Var 1\nwrites Var 2");
  REQUIRE(dot.edges.size() == 3);
  CHECK_FALSE(dot.edges.at("op0 -> op1").contains("style"));
  CHECK(dot.edges.at("op1 -> op2").at("style") == "dotted");
  CHECK(dot.edges.at("op2 -> op3").at("style") == "dashed");
  CHECK(dot.edges.at("op0 -> op1").at("edgetooltip") == "read after write: Var 1");
}

TEST_CASE("names of all kinds are DOT strings that Graphviz shows as they are") {
  for (const NastyName& name : nasty_names) {
    DependencyGraph graph;
    graph.add(std::string(name.written), {}, {});
    CHECK(DotReader::read(graph.to_dot()).nodes.at("op0").at("label") == name.read);
  }
}
