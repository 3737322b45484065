// A reader of JSON that accepts nothing else: RFC 8259 to the letter, and no key twice.
#pragma once

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "utf8.hpp"

/// A value. Numbers and the words true, false and null stay text, so that tests see what is written.
struct Json {
  enum class Kind { word, number, string, array, object } kind = Kind::word;
  std::string text;
  std::vector<Json> items;
  std::map<std::string, Json> members;

  /// A member that must be there.
  const Json& operator[](const std::string& key) const {
    const auto found = members.find(key);
    if (found == members.end()) throw std::runtime_error("no member " + key);
    return found->second;
  }
  bool has(const std::string& key) const { return members.contains(key); }
  double number() const {
    if (kind != Kind::number) throw std::runtime_error("not a number: " + text);
    return std::stod(text);
  }
};

/// Reads a whole text; throws std::runtime_error with what is wrong and where.
class StrictJson {
 public:
  static Json read(std::string_view text) {
    StrictJson reader(text);
    reader.skip_blanks();
    Json value = reader.value();
    reader.skip_blanks();
    if (!reader.rest_.empty()) reader.fail("text after the value");
    return value;
  }

 private:
  explicit StrictJson(std::string_view text) : rest_(text), size_(text.size()) {}

  [[noreturn]] void fail(const std::string& problem) const {
    throw std::runtime_error(problem + " at byte " + std::to_string(size_ - rest_.size()) + ": " +
                             std::string(rest_.substr(0, 40)));
  }
  bool is_next(char letter) const { return !rest_.empty() && rest_.front() == letter; }
  void expect(char letter) {
    if (!is_next(letter)) fail(std::string("expected ") + letter);
    rest_.remove_prefix(1);
  }
  bool accept(char letter) {
    if (!is_next(letter)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_blanks() { rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t\r\n"))); }

  Json value() {
    if (is_next('{')) return object();
    if (is_next('[')) return array();
    if (is_next('"')) return {Json::Kind::string, string(), {}, {}};
    for (const std::string_view word : {"true", "false", "null"}) {
      if (!rest_.starts_with(word)) continue;
      rest_.remove_prefix(word.size());
      return {Json::Kind::word, std::string(word), {}, {}};
    }
    return {Json::Kind::number, number(), {}, {}};
  }

  Json object() {
    Json result{Json::Kind::object, "", {}, {}};
    expect('{');
    skip_blanks();
    if (accept('}')) return result;
    do {
      skip_blanks();
      const std::string key = string();
      skip_blanks();
      expect(':');
      skip_blanks();
      if (!result.members.emplace(key, value()).second) fail("the key " + key + " stands there twice");
      skip_blanks();
    } while (accept(','));
    expect('}');
    return result;
  }

  Json array() {
    Json result{Json::Kind::array, "", {}, {}};
    expect('[');
    skip_blanks();
    if (accept(']')) return result;
    do {
      skip_blanks();
      result.items.push_back(value());
      skip_blanks();
    } while (accept(','));
    expect(']');
    return result;
  }

  std::string digits() {
    const std::size_t count = std::min(rest_.size(), rest_.find_first_not_of("0123456789"));
    if (count == 0) fail("expected a digit");
    std::string result(rest_.substr(0, count));
    rest_.remove_prefix(count);
    return result;
  }

  std::string number() {
    std::string text = accept('-') ? "-" : "";
    const std::string whole = digits();
    if (whole.size() > 1 && whole.front() == '0') fail("a number begins with 0");
    text += whole;
    if (accept('.')) text += "." + digits();
    if (is_next('e') || is_next('E')) fail("an exponent, which nobody writes here");
    return text;
  }

  std::string string() {
    expect('"');
    std::string result;
    while (!accept('"')) {
      const std::string_view before = rest_;
      const char32_t point = take_code_point(rest_);
      if (point < 0x20) fail("a control character in a string");
      if (point == '\\')
        result += escape();
      else
        result += before.substr(0, before.size() - rest_.size());
    }
    return result;
  }

  std::string escape() {
    constexpr std::string_view letters = "\"\\/bfnrt";
    constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (rest_.empty()) fail("an escape is cut off");
    if (const std::size_t i = letters.find(rest_.front()); i != letters.npos) {
      rest_.remove_prefix(1);
      return std::string(1, meanings[i]);
    }
    expect('u');
    if (rest_.size() < 4 || rest_.substr(0, 4).find_first_not_of("0123456789abcdefABCDEF") != rest_.npos)
      fail("\\u needs four digits");
    const unsigned long point = std::stoul(std::string(rest_.substr(0, 4)), nullptr, 16);
    if (point >= 0x100) fail("nobody writes such an escape here");
    rest_.remove_prefix(4);
    if (point < 0x80) return std::string(1, static_cast<char>(point));
    return {static_cast<char>(0xC0U | (point >> 6U)), static_cast<char>(0x80U | (point & 0x3FU))};
  }

  std::string_view rest_;
  std::size_t size_;
};
