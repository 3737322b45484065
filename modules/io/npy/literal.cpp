module;
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
module tessera.io;
import tessera.core;

// The reader of literals.
namespace tessera::io {

namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void LiteralReader::refuse(std::string expected, std::string found, std::string_view advice) const {
  Refusal{
      .source = source_, .at = position(), .expected = std::move(expected), .found = std::move(found), .advice = advice}
      .raise();
}

std::string LiteralReader::next() const {
  const std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
  const std::size_t last = line.find_last_not_of(' ');
  return last == std::string_view::npos ? "the end of the header" : quoted(line.substr(0, last + 1));
}

void LiteralReader::skip_space() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
}

bool LiteralReader::take(char wanted) {
  skip_space();
  if (at_ == text_.size() || text_[at_] != wanted) return false;
  ++at_;
  return true;
}

void LiteralReader::require(char wanted, std::string_view where) {
  if (!take(wanted)) refuse(std::string("'") + wanted + "' " + std::string(where), next());
}

std::string_view LiteralReader::string(std::string_view what) {
  skip_space();
  const char quote = at_ < text_.size() ? text_[at_] : '\0';
  if (quote != '\'' && quote != '"') refuse(std::string(what) + ", a string", next());
  const std::size_t end = text_.find_first_of(std::string_view(quote == '"' ? "\"\\\n" : "'\\\n"), at_ + 1);
  if (end == std::string_view::npos || text_[end] != quote) {
    refuse(std::string(what) + ", a string without escapes that ends in its line", next());
  }
  const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
  at_ = end + 1;
  return value;
}

bool LiteralReader::boolean(std::string_view what) {
  skip_space();
  for (const auto [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}}) {
    if (!text_.substr(at_).starts_with(word)) continue;
    at_ += word.size();
    return value;
  }
  refuse(std::string(what) + ", True or False", next());
}

std::ptrdiff_t LiteralReader::extent(bool may_have_l) {
  skip_space();
  const std::string_view rest = text_.substr(at_);
  if (rest.starts_with('-')) refuse("an extent, which is never negative", next());
  if (rest.empty() || !is_digit(rest[0])) refuse("an extent in decimal digits", next());
  std::ptrdiff_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (error != std::errc()) refuse("an extent of at most 2^63 - 1", next());
  auto length = static_cast<std::size_t>(end - rest.data());
  if (length > 1 && rest[0] == '0') refuse("an extent without leading zeros", next());
  if (may_have_l && length < rest.size() && rest[length] == 'L') ++length;
  at_ += length;
  return value;
}

void LiteralReader::require_end() {
  skip_space();
  if (at_ < text_.size()) refuse("nothing but white space behind the header's dict", next());
}

}  // namespace tessera::io
