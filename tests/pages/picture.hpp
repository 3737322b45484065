// Pictures of names and storages, drawn from the arrays that a test has: which names there are after some lines of the test, which storage
// each of them sees, and what is in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <source_location>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

import tessera;

namespace picture {

using tessera::Array;
using tessera::ArrayView;
using tessera::storage::BufferShare;

/// Memory with elements, as text.
struct Storage {
  const void* begin = nullptr;
  std::vector<std::string> cells{};
  std::string note{};  // such as "a vector of yours"

  template <class T>
  static Storage of(const T* begin, std::ptrdiff_t count, std::string note = {}) {
    Storage storage{.begin = begin, .note = std::move(note)};
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      std::ostringstream out;
      out << begin[i];
      storage.cells.push_back(out.str());
    }
    return storage;
  }
};

/// A name and what it sees. An array brings its storage; the memory of a view is that of a storage which is there already.
class Name {
 public:
  template <class T, int Rank, class P>
  Name(std::string label, const Array<T, Rank, P>& array) : label_(std::move(label)) {
    array.wait();
    see(array);
    storage_ = Storage::of(static_cast<const T*>(array.buffer()->data()),
                           array.buffer()->bytes() / static_cast<std::ptrdiff_t>(sizeof(T)));
    share_ = array.buffer();
    share_.hold();  // so that its address is not used again, without being a name
  }
  template <class T, int Rank, class P>
  Name(std::string label, const ArrayView<T, Rank, P>& view) : label_(std::move(label)) {
    see(view);
  }
  /// Memory that has no name among the arrays.
  explicit Name(Storage storage) : storage_(std::move(storage)) {}

  const std::string& label() const { return label_; }
  const std::string& shape() const { return shape_; }
  const Storage& storage() const { return storage_; }
  const BufferShare& share() const { return share_; }
  const void* first() const { return first_; }
  /// The elements that it sees, counted from its first one.
  const std::vector<std::ptrdiff_t>& offsets() const { return offsets_; }
  std::size_t item() const { return item_; }

 private:
  template <class A>
  void see(const A& array) {
    shape_ = to_string(array.shape());
    first_ = array.data();
    item_ = sizeof(typename A::value_type);
    offsets_ = {0};
    for (int axis = 0; axis < A::rank; ++axis) {
      std::vector<std::ptrdiff_t> longer;
      for (const std::ptrdiff_t offset : offsets_) {
        for (std::ptrdiff_t i = 0; i < array.shape()[axis]; ++i)
          longer.push_back(offset + i * array.strides()[static_cast<std::size_t>(axis)]);
      }
      offsets_ = std::move(longer);
    }
  }

  std::string label_;
  std::string shape_;
  const void* first_ = nullptr;
  std::size_t item_ = 1;
  std::vector<std::ptrdiff_t> offsets_;
  Storage storage_;
  BufferShare share_;
};

/// A picture in docs/pictures, a row for each look at the arrays: left the lines of the test since the last one, right the names and
/// storages. The destructor compares it with the file, or writes that if TESSERA_WRITE_PICTURES is set.
class Picture {
 public:
  explicit Picture(std::string file, std::source_location where = std::source_location::current())
      : file_(std::move(file)), last_line_(where.line()) {}
  Picture(const Picture&) = delete;
  Picture& operator=(const Picture&) = delete;
  ~Picture() { compare(); }

  void look(const std::vector<Name>& names, std::source_location where = std::source_location::current()) {
    std::vector<std::string> code = lines(last_line_ + 1, where.line() - 1);
    last_line_ = where.line();
    draw(code, names);
    for (const Name& name : names) kept_.push_back(name.share());
    for (const BufferShare& share : kept_) share.hold();
  }

 private:
  static constexpr int names_at = 350, storages_at = 516, cell_width = 34, cell_height = 22, name_height = 26;

  static std::vector<std::string> lines(std::uint_least32_t first, std::uint_least32_t last) {
    std::ifstream source(std::filesystem::path(__FILE__).parent_path() / "meaning_test.cpp");
    std::vector<std::string> found;
    std::string line;
    for (std::uint_least32_t number = 1; std::getline(source, line) && number <= last; ++number) {
      if (number < first || line.find("--8<--") != line.npos) continue;
      line = line.substr(0, line.find("  //"));
      const std::size_t indent = line.find_first_not_of(' ');
      if (indent == line.npos || line.substr(indent, 2) == "//" || line.substr(indent, 5) == "CHECK") continue;
      found.push_back(line);
    }
    std::size_t common = 80;
    for (const std::string& text : found) common = std::min(common, text.find_first_not_of(' '));
    for (std::string& text : found) text = text.substr(common);
    return found;
  }
  static std::filesystem::path folder() {
    return std::filesystem::path(__FILE__).parent_path().parent_path().parent_path() / "docs" / "pictures";
  }

  static std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '<') {
        result += "&lt;";
      } else if (c == '&') {
        result += "&amp;";
      } else {
        result += c;
      }
    }
    return result;
  }

  /// The colour of a name, which it keeps.
  std::string colour(const std::string& label) {
    static const char* const colours[] = {"#2456c7", "#c2570c", "#1f7a4d", "#8a3fa0", "#a3202f", "#5f636d"};
    const auto at = colour_of_.try_emplace(label, colours[colour_of_.size() % std::size(colours)]).first;
    return at->second;
  }
  /// The letter of a storage, which it keeps.
  std::string letter(const void* begin) {
    const auto at = letter_of_.try_emplace(begin, std::string(1, static_cast<char>('A' + letter_of_.size()))).first;
    return at->second;
  }

  struct Drawn {
    Storage storage;
    std::vector<const Name*> names;
    int top = 0;

    bool holds(const void* address, std::size_t item) const {
      const auto* const from = static_cast<const std::byte*>(storage.begin);
      const auto* const at = static_cast<const std::byte*>(address);
      return from <= at && at < from + storage.cells.size() * item;
    }
    int height() const { return cell_height + 4 * static_cast<int>(names.size()) + 20; }
  };

  void draw(const std::vector<std::string>& code, const std::vector<Name>& names) {
    std::vector<Drawn> storages;
    for (const Name& name : names) {
      const auto same = [&](const Drawn& drawn) { return drawn.storage.begin == name.storage().begin; };
      if (!name.storage().cells.empty() && std::ranges::none_of(storages, same))
        storages.push_back({.storage = name.storage(), .names = {}});
    }
    for (const Name& name : names) {
      if (name.label().empty()) continue;
      for (Drawn& drawn : storages) {
        if (drawn.holds(name.first(), name.item())) drawn.names.push_back(&name);
      }
    }
    const int top = height_;
    int y = top + 14;
    for (Drawn& drawn : storages) {
      drawn.top = y;
      draw(drawn);
      y += drawn.height();
    }
    int line = top + 30;
    for (const std::string& text : code) {
      body_ << "<text class=\"code\" xml:space=\"preserve\" x=\"14\" y=\"" << line << "\">" << escaped(text)
            << "</text>\n";
      line += 18;
    }
    int at = top + 14;
    for (const Name& name : names) {
      if (name.label().empty()) continue;
      draw(name, at, storages);
      at += name_height;
    }
    height_ = std::max({y, line - 4, at + 8});
    body_ << "<path class=\"rule\" d=\"M0 " << height_ << "H760\"/>\n";
  }

  void draw(const Drawn& drawn) {
    const int width = cell_width * static_cast<int>(drawn.storage.cells.size());
    body_ << "<text class=\"letter\" x=\"" << storages_at - 16 << "\" y=\"" << drawn.top + 16 << "\">"
          << letter(drawn.storage.begin) << "</text>\n";
    for (std::size_t i = 0; i < drawn.storage.cells.size(); ++i) {
      const int x = storages_at + cell_width * static_cast<int>(i);
      body_ << "<rect class=\"cell\" x=\"" << x << "\" y=\"" << drawn.top << "\" width=\"" << cell_width
            << "\" height=\"" << cell_height << "\"/><text class=\"value\" x=\"" << x + cell_width / 2 << "\" y=\""
            << drawn.top + 15 << "\">" << drawn.storage.cells[i] << "</text>\n";
    }
    int stripe = drawn.top + cell_height + 2;
    for (const Name* const name : drawn.names) {
      const auto from =
          (static_cast<const std::byte*>(name->first()) - static_cast<const std::byte*>(drawn.storage.begin)) /
          static_cast<std::ptrdiff_t>(name->item());
      for (const std::ptrdiff_t offset : name->offsets()) {
        const auto x = storages_at + cell_width * static_cast<int>(from + offset) + 3;
        body_ << "<rect x=\"" << x << "\" y=\"" << stripe << "\" width=\"" << cell_width - 6
              << "\" height=\"3\" fill=\"" << colour(name->label()) << "\"/>\n";
      }
      stripe += 4;
    }
    if (!drawn.storage.note.empty())
      body_ << "<text class=\"note\" x=\"" << storages_at + width + 8 << "\" y=\"" << drawn.top + 15 << "\">"
            << escaped(drawn.storage.note) << "</text>\n";
  }

  void draw(const Name& name, int top, const std::vector<Drawn>& storages) {
    body_ << "<text class=\"name\" x=\"" << names_at << "\" y=\"" << top + 15 << "\" fill=\"" << colour(name.label())
          << "\">" << escaped(name.label()) << "<tspan class=\"shape\" dx=\"5\">" << name.shape()
          << "</tspan></text>\n";
    for (const Drawn& drawn : storages) {
      if (std::ranges::find(drawn.names, &name) == drawn.names.end()) continue;
      const int to = drawn.top + cell_height / 2;
      body_ << "<path fill=\"none\" stroke=\"" << colour(name.label()) << "\" stroke-width=\"1.6\" d=\"M"
            << storages_at - 46 << ' ' << top + 11 << "L" << storages_at - 24 << ' ' << to << "\"/>\n";
    }
  }

  std::string svg() const {
    std::ostringstream out;
    out << "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tessera-names\" viewBox=\"0 0 760 " << height_ + 1
        << "\" width=\"760\" height=\"" << height_ + 1 << "\" role=\"img\">\n<style>\n"
        << ".tessera-names { font: 12px system-ui, -apple-system, \"Segoe UI\", Roboto, \"Noto Sans\", \"DejaVu "
           "Sans\", "
           "sans-serif; max-width: 100%; height: auto }\n"
        << ".tessera-names .code { font: 12px ui-monospace, \"DejaVu Sans Mono\", monospace; fill: #1d1f24; "
           "white-space: pre }\n"
        << ".tessera-names .card { fill: #ffffff } .tessera-names .rule { stroke: #e4e1da } "
           ".tessera-names .cell { fill: #f6f5f2; stroke: #5f636d }\n"
        << ".tessera-names .value { text-anchor: middle; fill: #1d1f24 } .tessera-names .name { font-weight: 600 } "
           ".tessera-names .shape { font-weight: 400; fill: #5f636d }\n"
        << ".tessera-names .letter { text-anchor: middle; fill: #5f636d } .tessera-names .note { fill: #5f636d }\n"
        << "</style>\n<rect class=\"card\" width=\"760\" height=\"" << height_ + 1 << "\"/>\n"
        << body_.str() << "</svg>\n";
    return out.str();
  }

  void compare() const {
    const std::filesystem::path path = folder() / file_;
    if (std::getenv("TESSERA_WRITE_PICTURES") != nullptr) std::ofstream(path, std::ios::binary) << svg();
    std::ostringstream shown;
    shown << std::ifstream(path, std::ios::binary).rdbuf();
    INFO("TESSERA_WRITE_PICTURES=1 draws ", path.string(), " again");
    CHECK(shown.str() == svg());
  }

  std::string file_;
  std::uint_least32_t last_line_;
  int height_ = 0;
  std::ostringstream body_;
  std::map<std::string, std::string> colour_of_;
  std::map<const void*, std::string> letter_of_;
  std::vector<BufferShare> kept_;
};

}  // namespace picture
