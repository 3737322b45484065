// A reader of the XML that the pictures are made of: elements, attributes and text, and anything ill-formed is an error.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "utf8.hpp"

/// An element with the text that stands directly in it.
struct Xml {
  std::string name;
  std::map<std::string, std::string> attributes;
  std::string text;
  std::vector<Xml> children;

  /// An attribute that must be there.
  const std::string& operator[](const std::string& key) const {
    const auto found = attributes.find(key);
    if (found == attributes.end()) throw std::runtime_error("<" + name + "> has no attribute " + key);
    return found->second;
  }
  double number(const std::string& key) const { return std::stod((*this)[key]); }

  /// Whether `word` is one of the words of the attribute class.
  bool is(std::string_view word) const {
    const auto found = attributes.find("class");
    return found != attributes.end() &&
           (" " + found->second + " ").find(" " + std::string(word) + " ") != std::string::npos;
  }

  /// All elements of this name below this one, in the order of the text.
  std::vector<const Xml*> all(std::string_view wanted) const& {
    std::vector<const Xml*> found;
    for (const Xml& child : children) {
      if (child.name == wanted) found.push_back(&child);
      const std::vector<const Xml*> deeper = child.all(wanted);
      found.insert(found.end(), deeper.begin(), deeper.end());
    }
    return found;
  }

  std::vector<const Xml*> all(std::string_view) && = delete;  // they would point into what is gone

  /// The text of the child <title>, or nothing.
  std::string title() const {
    for (const Xml& child : children)
      if (child.name == "title") return child.text;
    return "";
  }
};

/// Reads a whole document; throws std::runtime_error with what is wrong and where.
class StrictXml {
 public:
  static Xml read(std::string_view text) {
    StrictXml reader(text);
    Xml root = reader.element();
    if (reader.rest_ != "\n" && !reader.rest_.empty()) reader.fail("text after the root");
    return root;
  }

 private:
  explicit StrictXml(std::string_view text) : rest_(text), size_(text.size()) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw std::runtime_error(problem + " at byte " + std::to_string(size_ - rest_.size()) + ": " +
                             std::string(rest_.substr(0, 40)));
  }
  bool accept(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!accept(word)) fail("expected " + std::string(word));
  }

  std::string word() {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:";
    const std::size_t count = std::min(rest_.size(), rest_.find_first_not_of(letters));
    if (count == 0) fail("expected a name");
    std::string result(rest_.substr(0, count));
    rest_.remove_prefix(count);
    return result;
  }

  Xml element() {
    expect("<");
    Xml result{word(), {}, "", {}};
    while (accept(" ")) {
      const std::string key = word();
      expect("=\"");
      if (!result.attributes.emplace(key, text_until('"')).second) fail("the attribute " + key + " stands there twice");
      expect("\"");
    }
    if (accept("/>")) return result;
    expect(">");
    for (;;) {
      result.text += text_until('<');
      if (accept("</")) break;
      result.children.push_back(element());
    }
    if (word() != result.name) fail("another element than <" + result.name + "> is closed");
    expect(">");
    return result;
  }

  /// Text up to, not including, `end`, which cannot stand in it unescaped.
  std::string text_until(char end) {
    std::string result;
    while (rest_.empty() || rest_.front() != end) {
      const std::string_view before = rest_;
      const char32_t point = take_code_point(rest_);
      if (point == '<' || (point == '>' && before.starts_with(">") && result.ends_with("]]")))
        fail("an unescaped bracket");
      const bool is_blank = point == '\t' || point == '\n';
      if ((point < 0x20 && !is_blank) || point == 0xFFFE || point == 0xFFFF) fail("a character that XML does not have");
      result += point == '&' ? entity() : std::string(before.substr(0, before.size() - rest_.size()));
    }
    return result;
  }

  std::string entity() {
    static const std::map<std::string, std::string, std::less<>> known{{"amp", "&"},   {"lt", "<"},  {"gt", ">"},
                                                                       {"quot", "\""}, {"#39", "'"}, {"#13", "\r"}};
    const std::size_t end = rest_.find(';');
    const auto found = known.find(rest_.substr(0, end));
    if (end == rest_.npos || found == known.end()) fail("an unknown entity");
    rest_.remove_prefix(end + 1);
    return found->second;
  }

  std::string_view rest_;
  std::size_t size_;
};
