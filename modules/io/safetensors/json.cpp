module;
#include <charconv>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_set>
module tessera.io;
import tessera.core;

// The reader of JSON.
namespace tessera::io {

namespace {

constexpr int deepest = 64;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& text, unsigned code) {
  const auto byte = [&](unsigned value) { text += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3f));
  } else {
    byte(0xf0 | code >> 18);
    byte(0x80 | (code >> 12 & 0x3f));
    byte(0x80 | (code >> 6 & 0x3f));
  }
  byte(0x80 | (code & 0x3f));
}

}  // namespace

JsonReader::JsonReader(std::string_view source, std::ptrdiff_t at, std::string_view text)
    : source_(source), start_(at), text_(text) {
  if (const auto broken = find_broken_utf8(text)) {
    at_ = *broken;
    refuse("UTF-8", quoted(text.substr(at_, 4)));
  }
}

void JsonReader::refuse(std::string expected, std::string found, std::string_view advice) const {
  Refusal{
      .source = source_, .at = position(), .expected = std::move(expected), .found = std::move(found), .advice = advice}
      .raise();
}

void JsonReader::refuse_next(std::string expected) const {
  refuse(std::move(expected), at_ == text_.size() ? "the end of the text" : quoted(text_.substr(at_, 20)));
}

void JsonReader::skip_space() { at_ = std::min(text_.find_first_not_of(" \t\n\r", at_), text_.size()); }

bool JsonReader::take(char wanted) {
  skip_space();
  if (at_ == text_.size() || text_[at_] != wanted) return false;
  ++at_;
  return true;
}

void JsonReader::enter() {
  if (++depth_ > deepest) refuse("values nested at most " + std::to_string(deepest) + " deep", "one more");
}

std::string JsonReader::string(std::string_view what) {
  if (!take('"')) refuse_next(std::string(what) + ", a string");
  std::string value;
  while (true) {
    const std::size_t end = std::min(text_.find_first_of("\"\\", at_), text_.size());
    for (; at_ < end; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) refuse_next("control characters of a string as escapes");
      value += text_[at_];
    }
    if (at_ == text_.size()) refuse_next("the quote that ends a string");
    if (text_[at_++] == '"') return value;
    take_escape(value);
  }
}

void JsonReader::take_escape(std::string& value) {
  constexpr std::string_view names = "\"\\/bfnrt";
  constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
  const char name = at_ < text_.size() ? text_[at_] : '\0';
  if (const auto found = names.find(name); name != '\0' && found != std::string_view::npos) {
    ++at_;
    value += meanings[found];
    return;
  }
  if (name != 'u') refuse_next("one of \"\\/bfnrtu behind a backslash");
  ++at_;
  unsigned code = hexadecimal();
  if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_).starts_with("\\u")) {
    at_ += 2;
    const unsigned low = hexadecimal();
    if (low < 0xdc00 || low > 0xdfff) refuse_next("the second half of a surrogate pair before this");
    code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
  }
  if (code >= 0xd800 && code < 0xe000) refuse_next("both halves of a surrogate pair before this");
  append_utf8(value, code);
}

unsigned JsonReader::hexadecimal() {
  const std::string_view digits = text_.substr(at_, 4);
  unsigned code = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (error != std::errc() || digits.size() < 4 || end != digits.data() + 4) refuse_next("four hexadecimal digits");
  at_ += 4;
  return code;
}

std::ptrdiff_t JsonReader::integer(std::string_view what) {
  skip_space();
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with('-')) refuse_next(std::string(what) + ", which is never negative");
  if (rest.empty() || !is_digit(rest[0])) refuse_next(std::string(what) + ", in decimal digits");
  std::ptrdiff_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) refuse_next(std::string(what) + ", at most 2^63 - 1");
  const auto length = static_cast<std::size_t>(end - rest.data());
  const char next = length < rest.size() ? rest[length] : '\0';
  if ((length > 1 && rest[0] == '0') || next == '.' || next == 'e' || next == 'E') {
    refuse_next(std::string(what) + ", an integer without leading zeros, fraction or exponent");
  }
  at_ += length;
  return value;
}

void JsonReader::object(std::string_view what, const std::function<void(const std::string& key)>& member) {
  if (!take('{')) refuse_next(std::string(what) + ", an object");
  enter();
  std::unordered_set<std::string> keys;
  for (bool first = true; !take('}'); first = false) {
    if (!first && !take(',')) refuse_next("',' or '}' behind a member of " + std::string(what));
    const std::string key = string("a key");
    if (!keys.insert(key).second) refuse("each key of " + std::string(what) + " once", quoted(key) + " again");
    if (!take(':')) refuse_next("':' behind a key");
    member(key);
  }
  --depth_;
}

void JsonReader::array(std::string_view what, const std::function<void()>& element) {
  if (!take('[')) refuse_next(std::string(what) + ", an array");
  enter();
  for (bool first = true; !take(']'); first = false) {
    if (!first && !take(',')) refuse_next("',' or ']' behind an element of " + std::string(what));
    element();
  }
  --depth_;
}

void JsonReader::skip_value() {
  skip_space();
  const std::string_view rest = text_.substr(at_);
  for (const std::string_view word : {"true", "false", "null"}) {
    if (!rest.starts_with(word)) continue;
    at_ += word.size();
    return;
  }
  switch (rest.empty() ? '\0' : rest[0]) {
    case '{': return object("an object", [this](const std::string&) { skip_value(); });
    case '[': return array("an array", [this] { skip_value(); });
    case '"': return static_cast<void>(string("a value"));
    default: return skip_number();
  }
}

void JsonReader::skip_number() {
  const auto digits = [this] {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ == begin) refuse_next("a value");
    return text_.substr(begin, at_ - begin);
  };
  const auto take_one_of = [this](std::string_view wanted) {
    const bool found = at_ < text_.size() && wanted.find(text_[at_]) != std::string_view::npos;
    at_ += found ? 1 : 0;
    return found;
  };
  take_one_of("-");
  if (const auto whole = digits(); whole.size() > 1 && whole[0] == '0')
    refuse_next("a number without leading zeros before this");
  if (take_one_of(".")) digits();
  if (take_one_of("eE")) {
    take_one_of("+-");
    digits();
  }
}

void JsonReader::require_end() {
  skip_space();
  if (at_ < text_.size()) refuse_next("nothing but white space behind the value");
}

std::string json_string(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  constexpr std::string_view special = "\"\\\b\f\n\r\t";
  constexpr std::string_view names = "\"\\bfnrt";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (const auto found = special.find(c); found != std::string_view::npos) {
      quoted += {'\\', names[found]};
    } else if (byte < 0x20) {
      quoted += {'\\', 'u', '0', '0', digits[byte >> 4], digits[byte & 15]};
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

}  // namespace tessera::io
