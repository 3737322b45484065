module;
#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.array;
import tessera.core;
import tessera.device;
import tessera.memory;

// NumPy's rules for brackets, line breaks and summaries (numpy.set_printoptions with its defaults).
namespace tessera::storage {

namespace {

constexpr std::ptrdiff_t print_threshold = 1000;  // more elements than this are summarised
constexpr std::ptrdiff_t print_edge = 3;          // shown at each end of a summarised axis
constexpr std::size_t line_width = 75;

struct BracketWriter {
  std::span<const std::ptrdiff_t> shape;
  std::ptrdiff_t size;
  const std::vector<std::string>& cells;
  std::string text{};
  std::size_t next_cell = 0;

  std::size_t rank() const { return shape.size(); }

  void write(std::size_t axis) {
    if (axis + 1 == rank()) return write_row();
    const std::vector<std::ptrdiff_t> positions = shown_positions(shape[axis], size);
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
    std::size_t column = rank();  // behind the brackets, or the blanks below them
    std::string row;
    const auto add = [&](const std::string& word) {
      if (column > rank() && column + text_length(word) > line_width - rank()) {
        row.erase(row.find_last_not_of(' ') + 1);
        row += '\n' + std::string(rank(), ' ');
        column = rank();
      }
      row += word + ' ';
      column += text_length(word) + 1;
    };
    const std::vector<std::ptrdiff_t> positions = shown_positions(shape.back(), size);
    for (std::size_t i = 0; i < positions.size(); ++i) {
      if (i > 0 && positions[i] != positions[i - 1] + 1) add("...");
      add(cells[next_cell++]);
    }
    row.pop_back();
    text += '[' + row + ']';
  }
};

template <class T>
std::vector<double> widened(const std::vector<T>& values) {
  std::vector<double> wide;
  wide.reserve(values.size());
  for (const T& value : values) wide.push_back(static_cast<double>(value));
  return wide;
}

template <class T>
std::vector<std::string> format_cells(const std::vector<T>& values) {
  if constexpr (Floating<T>) {
    return format_floats(widened(values), dtype_of<T>);
  } else if constexpr (Complex<T>) {
    using Part = typename T::value_type;
    std::vector<Part> real, imag;
    for (const T& value : values) {
      real.push_back(value.real());
      imag.push_back(value.imag());
    }
    return format_complex(widened(real), widened(imag), dtype_of<Part>);
  } else {
    std::vector<std::string> cells;
    for (const T value : values) {
      if constexpr (std::is_same_v<T, bool>) {
        cells.emplace_back(value ? " True" : "False");  // as wide, whether there is a False or not
      } else {
        cells.push_back(std::to_string(value));
      }
    }
    return cells;
  }
}

template <class T>
std::string format_scalar(const T& value) {
  if constexpr (Floating<T>) {
    return scalar_text(static_cast<double>(value), dtype_of<T>);
  } else if constexpr (Complex<T>) {
    return scalar_text(static_cast<double>(value.real()), static_cast<double>(value.imag()),
                       dtype_of<typename T::value_type>);
  } else if constexpr (std::is_same_v<T, bool>) {
    return value ? "True" : "False";
  } else {
    return std::to_string(value);
  }
}

/// The elements that are shown.
template <class T>
struct Collector {
  std::ptrdiff_t size;
  std::vector<T> values{};

  void add(const T* first, std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides) {
    if (shape.empty()) return values.push_back(*first);
    for (const std::ptrdiff_t i : shown_positions(shape[0], size)) {
      add(first + i * strides[0], shape.subspan(1), strides.subspan(1));
    }
  }
};

std::ptrdiff_t product_of(std::span<const std::ptrdiff_t> shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;  // whatever the others are
  return std::accumulate(shape.begin(), shape.end(), std::ptrdiff_t{1}, std::multiplies<>());
}

}  // namespace

std::vector<std::ptrdiff_t> shown_positions(std::ptrdiff_t extent, std::ptrdiff_t size) {
  const bool cut = size > print_threshold && extent > 2 * print_edge;
  std::vector<std::ptrdiff_t> positions(static_cast<std::size_t>(cut ? 2 * print_edge : extent));
  std::iota(positions.begin(), positions.end(), std::ptrdiff_t{0});
  if (cut) std::iota(positions.begin() + print_edge, positions.end(), extent - print_edge);
  return positions;
}

std::string in_brackets(std::span<const std::ptrdiff_t> shape, std::vector<std::string> cells) {
  if (shape.empty()) return cells.front();
  pad_left(cells);
  BracketWriter writer{.shape = shape, .size = product_of(shape), .cells = cells};
  writer.write(0);
  return std::move(writer.text);
}

std::string text_of_elements(const void* first, DType dtype, std::span<const std::ptrdiff_t> shape,
                             std::span<const std::ptrdiff_t> strides) {
  const std::ptrdiff_t size = product_of(shape);
  if (size == 0) return "[]";
  return core::with_element(dtype, [&]<class T>() {
    const auto* elements = static_cast<const T*>(first);
    if (shape.empty()) return format_scalar(*elements);
    Collector<T> shown{.size = size};
    shown.add(elements, shape, strides);
    return in_brackets(shape, format_cells(shown.values));
  });
}

}  // namespace tessera::storage
