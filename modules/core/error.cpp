module;
#include <source_location>
#include <string>
#include <string_view>
module tessera.core;

// Puts the parts of a failure together into one line.
namespace tessera {

namespace {

std::string_view file_name_of(const std::source_location& where) {
  const std::string_view path = where.file_name();
  const auto slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::string to_string(const Failure& failure) {
  std::string text{failure.operation};
  text += ": ";
  text += failure.problem;
  const char* separator = "; ";
  for (const std::string& operand : failure.operands) {
    text += separator;
    text += operand;
    separator = ", ";
  }
  if (!failure.advice.empty()) {
    text += "; ";
    text += failure.advice;
  }
  if (failure.where.line() != 0) {
    text += "; called at ";
    text += file_name_of(failure.where);
    text += ':';
    text += std::to_string(failure.where.line());
  }
  return text;
}

}  // namespace tessera
