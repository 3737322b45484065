// A reader of the DOT texts that dependency graphs write; anything else is an error.
#pragma once

#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>

#include "utf8.hpp"

/// Attributes by the node or edge that they belong to, unescaped as Graphviz does.
struct Dot {
  std::map<std::string, std::map<std::string, std::string>> nodes;
  std::map<std::string, std::map<std::string, std::string>> edges;
};

/// Reads a whole text; throws std::runtime_error with what is wrong and where.
class DotReader {
 public:
  static Dot read(std::string_view text) {
    DotReader reader{text};
    reader.expect("digraph dependencies {\n");
    while (!reader.accept("}\n")) reader.statement();
    if (!reader.rest_.empty()) throw std::runtime_error("text after the graph");
    return reader.dot_;
  }

 private:
  explicit DotReader(std::string_view text) : rest_(text) {}

  bool accept(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word))
      throw std::runtime_error("expected " + std::string(word) + " before " + std::string(rest_.substr(0, 40)));
  }
  std::string word() {
    const std::size_t count = rest_.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789.");
    std::string result(rest_.substr(0, count));
    rest_.remove_prefix(result.size());
    if (result.empty()) throw std::runtime_error("expected a word before " + std::string(rest_.substr(0, 40)));
    return result;
  }

  void statement() {
    expect("  ");
    std::string name = word();
    const bool is_edge = accept(" -> ");
    if (is_edge) name += " -> " + word();
    auto& attributes = (is_edge ? dot_.edges : dot_.nodes)[name];
    expect(" [");
    do {
      const std::string key = word();
      expect("=");
      attributes[key] = rest_.starts_with("\"") ? string() : word();
    } while (accept(", "));
    expect("];\n");
  }

  std::string string() {
    expect("\"");
    std::string result;
    while (!accept("\"")) {
      if (accept("\\\"")) {
        result += '"';
      } else if (accept("\\\\")) {
        result += '\\';
      } else if (accept("\\n")) {
        result += '\n';
      } else if (accept("&amp;")) {
        result += '&';
      } else {
        const std::string_view before = rest_;
        const char32_t point = take_code_point(rest_);
        if (point == '\\' || point == '&' || (point < 0x20 && point != '\t'))
          throw std::runtime_error("something else than an escape before " + std::string(rest_.substr(0, 40)));
        result += before.substr(0, before.size() - rest_.size());
      }
    }
    return result;
  }

  std::string_view rest_;
  Dot dot_;
};
