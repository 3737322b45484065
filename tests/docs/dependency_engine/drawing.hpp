// The example of the page's pictures: one step of training a network of two layers, drawn from the queues of an engine without workers.
#pragma once

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

/// Compares a drawing with the one in a file, which the page shows, or writes it there with --write. Returns whether they are equal.
inline bool is_as_in(const std::string& drawing, const std::string& path, bool write) {
  if (write) std::ofstream(path) << drawing;
  std::ostringstream shown;
  shown << std::ifstream(path).rdbuf();
  if (shown.str() == drawing) return true;
  std::printf("%s shows\n%s\nand the engine has\n%s", path.c_str(), shown.str().c_str(), drawing.c_str());
  return false;
}

/// Submits the step to an engine without workers, and draws three of its queues then and after two ops. `arguments` are the program's:
/// the file, and --write.
template <class Engine, class Draw>
bool draw_step(const Draw& draw, int count, char** arguments) {
  using Var = typename Engine::Var;
  using Vars = std::vector<Var*>;
  Var x, w1, h, w2, y, dy, g2, dh, g1;
  Engine engine(0);
  // --8<-- [start:step]
  const auto submit = [&engine](const char* name, const Vars& reads, const Vars& writes) {
    engine.submit(reads, writes, [] {}, name);
  };
  submit("forward 1", {&x, &w1}, {&h});
  submit("forward 2", {&h, &w2}, {&y});
  submit("loss", {&y}, {&dy});
  submit("gradient 2", {&h, &dy}, {&g2});
  submit("backward", {&dy, &w2, &h}, {&dh});
  submit("update 2", {&g2}, {&w2});
  submit("gradient 1", {&x, &dh}, {&g1});
  submit("update 1", {&g1}, {&w1});
  // --8<-- [end:step]
  const auto queues = [&] { return draw("h", h) + draw("w2", w2) + draw("dy", dy); };
  std::string drawing = "all submitted, nothing has run\n" + queues();
  engine.run_one();
  drawing += "\nforward 1 has ended\n" + queues();
  for (int op = 0; op < 2; ++op) engine.run_one();
  drawing += "\nforward 2 and the loss have ended\n" + queues();
  while (engine.run_one()) continue;
  const std::vector<std::string> given(arguments + 1, arguments + count);
  return !given.empty() && is_as_in(drawing, given[0], given.size() > 1 && given[1] == "--write");
}
