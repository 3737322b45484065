module;
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// NumPy's rules for brackets, line breaks and summaries (numpy.set_printoptions with its defaults).
namespace tessera {

namespace {

constexpr std::size_t line_width = 75;

struct BracketWriter {
  const PrintedElements& printed;
  std::string text{};
  std::size_t next_cell = 0;

  std::size_t rank() const { return printed.shape.size(); }

  void write(std::size_t axis) {
    if (axis + 1 == rank()) return write_row();
    const std::vector<std::ptrdiff_t> positions = shown_positions(printed.shape[axis], printed.summarised);
    text += '[';
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i > 0) separate(axis);
      if (i > 0 && positions[i] != positions[i - 1] + 1) {
        text += "...";
        separate(axis);
      }
      write(axis + 1);
    }
    text += ']';
  }

  void separate(std::size_t axis) {
    text.append(rank() - axis - 1, '\n');
    text.append(axis + 1, ' ');
  }

  /// The fastest axis; a word that would pass the width starts a new line, unless it is alone on its line.
  void write_row() {
    std::string line(rank(), ' ');  // stands for the brackets, or for the blanks below them
    std::string row;
    const auto add = [&](const std::string& word) {
      if (line.size() > rank() && line.size() + word.size() > line_width - rank()) {
        row += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
        line.assign(rank(), ' ');
      }
      line += word + ' ';
    };
    const std::vector<std::ptrdiff_t> positions = shown_positions(printed.shape.back(), printed.summarised);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i > 0 && positions[i] != positions[i - 1] + 1) add("...");
      add(printed.cells[next_cell++]);
    }
    line.pop_back();
    text += '[' + (row + line).substr(rank()) + ']';
  }
};

}  // namespace

void pad_left(std::vector<std::string>& cells) {
  std::size_t width = 0;
  for (const std::string& cell : cells) width = std::max(width, cell.size());
  for (std::string& cell : cells) cell.insert(0, width - cell.size(), ' ');
}

std::vector<std::ptrdiff_t> shown_positions(std::ptrdiff_t extent, bool summarised) {
  const bool cut = summarised && extent > 2 * print_edge;
  std::vector<std::ptrdiff_t> positions(static_cast<std::size_t>(cut ? 2 * print_edge : extent));
  std::iota(positions.begin(), positions.end(), std::ptrdiff_t{0});
  if (cut) std::iota(positions.begin() + print_edge, positions.end(), extent - print_edge);
  return positions;
}

std::string lay_out(const PrintedElements& printed) {
  PrintedElements aligned = printed;
  pad_left(aligned.cells);
  BracketWriter writer{aligned};
  writer.write(0);
  return writer.text;
}

}  // namespace tessera
