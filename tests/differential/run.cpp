// Runs the cases of a program on the values in the files that are its arguments. Prints the text of each case that fails, what
// is wrong, and how many there were; returns 1 if any failed.
#include "case.hpp"

#include <charconv>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

namespace differential {
namespace {

std::vector<Case>& list() {
  static std::vector<Case> all;
  return all;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

double bound_of(const std::string& word) {
  double bound = 0;
  const auto result = std::from_chars(word.data(), word.data() + word.size(), bound);
  if (result.ec != std::errc{}) throw std::runtime_error("the file of values has the bound '" + word + "'");
  return bound;
}

std::string without_escapes(const std::string& line) {
  std::string text;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const bool is_break = line.compare(i, 2, "\\n") == 0;
    text += is_break ? '\n' : line[i];
    i += is_break ? 1 : 0;
  }
  return text;
}

/// Numbers that the generator and this know: (i * step) % 13 for element i, moved and scaled to the type.
std::vector<std::string> counted(const std::string& dtype, const std::vector<std::ptrdiff_t>& shape, int step) {
  std::ptrdiff_t count = 1;
  for (const std::ptrdiff_t extent : shape) count *= extent;
  std::vector<std::string> values;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const auto number = static_cast<int>(i * step % 13);
    if (dtype == "bool")
      values.push_back(std::to_string(number % 2));
    else if (dtype.starts_with("uint"))
      values.push_back(std::to_string(number));
    else if (dtype.starts_with("int"))
      values.push_back(std::to_string(number - 6));
    else
      values.push_back(std::to_string((number - 6) / 4.0) + (dtype.starts_with("complex") ? ",0" : ""));
  }
  return values;
}

/// The values of a file, by the numbers of their cases. Lines: case 17; input float32 2 3, then values; counted float32 9 9, then
/// the step; result float32 3, then values, then bounds; text, then what is printed, in one line.
void read_values(const std::string& path, std::map<int, std::vector<Stored>>& values, std::string& seed) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("there is no file " + path);
  std::vector<Stored>* stored = nullptr;
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> words = words_of(line);
    if (words.empty() || words[0] == "#") continue;
    const auto following = [&] {
      std::getline(file, line);
      return words_of(line);
    };
    if (words[0] == "seed") {
      seed = words.at(1);
    } else if (words[0] == "case") {
      stored = &values[std::stoi(words.at(1))];
    } else if (stored == nullptr) {
      throw std::runtime_error(path + " does not begin with a case");
    } else if (words[0] == "text") {
      std::getline(file, line);
      stored->push_back({.kind = words[0], .text = without_escapes(line)});
    } else {
      Stored array{.kind = words[0], .dtype = words.at(1)};
      for (std::size_t i = 2; i < words.size(); ++i) array.shape.push_back(std::stoll(words[i]));
      array.values = following();
      if (words[0] == "counted") {
        array.kind = "input";
        array.values = counted(array.dtype, array.shape, std::stoi(array.values.at(0)));
      }
      if (words[0] == "result") {
        for (const std::string& word : following()) array.bounds.push_back(bound_of(word));
      }
      stored->push_back(std::move(array));
    }
  }
}

/// The lines of a case, if its source is still there: from its first to the next that begins with `}`.
std::string source_of(const Case& failed) {
  std::ifstream file(failed.where.file_name());
  std::string text;
  std::uint_least32_t number = 1;
  for (std::string line; std::getline(file, line); ++number) {
    if (number < failed.where.line()) continue;
    text += line + "\n";
    if (line.starts_with("}")) break;
  }
  return text;
}

bool passes(const Case& each, const std::vector<Stored>& stored, const std::string& seed) {
  try {
    Values values(stored);
    each.body(values);
    values.finish();
    return true;
  } catch (const std::exception& error) {
    std::cout << "case " << each.number << " of seed " << seed << " at " << each.where.file_name() << ":"
              << each.where.line() << "\n"
              << source_of(each) << error.what() << "\n"
              << std::endl;
    return false;
  }
}

int run(const std::vector<std::string>& paths) {
  std::map<int, std::vector<Stored>> values;
  std::string seed;
  for (const std::string& path : paths) read_values(path, values, seed);
  int failures = 0;
  for (const Case& each : cases()) failures += passes(each, values[each.number], seed) ? 0 : 1;
  if (cases().size() != values.size()) {
    std::cout << "the files have values for " << values.size() << " cases\n";
    ++failures;
  }
  std::cout << cases().size() << " cases of seed " << seed << ", " << failures << " failures" << std::endl;
  return failures == 0 ? 0 : 1;
}

}  // namespace

Case::Case(int its_number, Body its_body, std::source_location its_where)
    : number(its_number), body(its_body), where(its_where) {
  list().push_back(*this);
}

const std::vector<Case>& cases() {
  std::ranges::sort(list(), {}, &Case::number);
  return list();
}

}  // namespace differential

int main(int count, char** arguments) {
  try {
    return differential::run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
}
