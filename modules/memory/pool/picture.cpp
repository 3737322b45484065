module;
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;

// Text and SVG of a pool's chunks.
namespace tessera::memory {

namespace {

constexpr int columns = 100;
constexpr int width = 1000, bar_height = 18, row_height = 34, margin = 40;

using Pieces = std::span<const Piece>;

/// Calls `function` with the pieces of each chunk.
template <class Function>
void for_each_chunk(const std::vector<Piece>& pieces, const Function& function) {
  for (auto begin = pieces.begin(); begin != pieces.end();) {
    const auto end = std::find_if(begin, pieces.end(), [&](const Piece& piece) { return piece.chunk != begin->chunk; });
    function(Pieces(begin, end));
    begin = end;
  }
}

std::string bytes_text(std::ptrdiff_t bytes) {
  std::ostringstream text;
  if (bytes >= 1 << 20) {
    text << std::fixed << std::setprecision(1) << static_cast<double>(bytes) / (1 << 20) << " MiB";
  } else {
    text << std::fixed << std::setprecision(1) << static_cast<double>(bytes) / (1 << 10) << " KiB";
  }
  return text.str();
}

/// What a column shows whose range of bytes this is.
char symbol(Pieces chunk, double begin, double end) {
  double live = 0, kept = 0;
  for (const Piece& piece : chunk) {
    const auto first = static_cast<double>(piece.offset), last = static_cast<double>(piece.offset + piece.bytes);
    const double shared = std::max(0.0, std::min(end, last) - std::max(begin, first));
    if (piece.state == Piece::State::live) live += shared;
    if (piece.state == Piece::State::cached) kept += shared;
  }
  if (live >= 0.999 * (end - begin)) return '#';
  if (live > 0) return '+';
  return kept > 0 ? 'o' : '.';
}

std::string row(Pieces chunk) {
  std::string text;
  const double step = static_cast<double>(chunk.front().chunk_bytes) / columns;
  for (int column = 0; column < columns; ++column) text += symbol(chunk, step * column, step * (column + 1));
  return text;
}

std::string colour(const Piece& piece, std::uint64_t newest) {
  if (piece.state == Piece::State::free) return "#ffffff";
  if (piece.state == Piece::State::cached) return "url(#tessera-kept)";
  const double age = newest == 0 ? 0 : 1 - static_cast<double>(piece.born) / static_cast<double>(newest);
  std::ostringstream text;
  text << "hsl(210,60%," << std::lround(70 - 40 * age) << "%)";
  return text.str();
}

std::string title(const Piece& piece) {
  switch (piece.state) {
    case Piece::State::live:
      return bytes_text(piece.bytes) + ", live, " + std::to_string(piece.requested) + " bytes asked for";
    case Piece::State::cached: return bytes_text(piece.bytes) + ", kept for the next request";
    case Piece::State::free: break;
  }
  return bytes_text(piece.bytes) + ", free";
}

}  // namespace

MemoryMap::MemoryMap(const Pool& pool) : place_(pool.place()) {
  pool.visit([&](const Piece& piece) { pieces_.push_back(piece); });
}

std::string MemoryMap::text() const {
  std::string text;
  for_each_chunk(pieces_, [&](Pieces chunk) { text += row(chunk) + '\n'; });
  return text;
}

std::string MemoryMap::svg() const {
  std::ptrdiff_t largest = 1;
  std::uint64_t newest = 0;
  int chunks = 0;
  for_each_chunk(pieces_, [&](Pieces chunk) {
    largest = std::max(largest, chunk.front().chunk_bytes);
    ++chunks;
  });
  for (const Piece& piece : pieces_) newest = std::max(newest, piece.born);
  std::ostringstream out;
  out << std::fixed << std::setprecision(2);
  out << "<svg class=\"tessera-memory\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " << width << ' '
      << margin + chunks * row_height << "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"currentColor\">\n"
      << "<defs><pattern id=\"tessera-kept\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><rect "
         "width=\"6\" "
         "height=\"6\" "
         "fill=\"#eeeeee\"/><path d=\"M0 6L6 0\" stroke=\"#888888\"/></pattern></defs>\n"
      << "<text x=\"0\" y=\"16\">Memory of " << to_string(place_) << ": " << chunks
      << (chunks == 1 ? " chunk" : " chunks")
      << ". Blue: live, darker when older; white: free; hatched: kept for the next request.</text>\n";
  int y = margin;
  for_each_chunk(pieces_, [&](Pieces chunk) {
    const double scale = static_cast<double>(width) / static_cast<double>(largest);
    out << "<text x=\"0\" y=\"" << y - 3 << "\">" << bytes_text(chunk.front().chunk_bytes) << "</text>\n";
    for (const Piece& piece : chunk) {
      out << "<rect x=\"" << static_cast<double>(piece.offset) * scale << "\" y=\"" << y << "\" width=\""
          << static_cast<double>(piece.bytes) * scale << "\" height=\"" << bar_height << "\" fill=\""
          << colour(piece, newest) << "\" stroke=\"#444444\" stroke-width=\"0.3\"><title>" << title(piece)
          << "</title></rect>\n";
    }
    y += row_height;
  });
  out << "</svg>\n";
  return out.str();
}

}  // namespace tessera::memory
