module;
#include <source_location>
#include <string>
#include <string_view>
#include <typeinfo>
module tessera.core;

// Puts the parts of a failure together into one line, and adds to the line of one that is on its way where it was called.
namespace tessera {

namespace {

std::string_view file_name_of(const std::source_location& where) {
  const std::string_view path = where.file_name();
  const auto slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

constexpr std::string_view called_at = "; called at ";

std::string place_text(const std::source_location& where) {
  return std::string(called_at) + std::string(file_name_of(where)) + ':' + std::to_string(where.line());
}

/// Does nothing if `error` is of a class derived from Error, or says its place.
template <class Error>
void throw_called_at(const Error& error, const std::source_location& where) {
  const std::string_view text = error.what();
  if (typeid(error) != typeid(Error) || text.find(called_at) != std::string_view::npos) return;
  throw Error(std::string(text) + place_text(where));
}

}  // namespace

void core::rethrow_called_at(const std::source_location& where) {
  try {
    throw;
  } catch (const ShapeError& error) {
    throw_called_at(error, where);
  } catch (const PlaceError& error) {
    throw_called_at(error, where);
  } catch (const DTypeError& error) {
    throw_called_at(error, where);
  } catch (const IndexError& error) {
    throw_called_at(error, where);
  } catch (const OutOfMemory& error) {
    throw_called_at(error, where);
  } catch (const DeviceError& error) {
    throw_called_at(error, where);
  } catch (const CollectiveError& error) {
    throw_called_at(error, where);
  } catch (const SchedulerError& error) {
    throw_called_at(error, where);
  } catch (...) {  // the user's own
  }
  throw;
}

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
  if (failure.where.line() != 0) text += place_text(failure.where);
  return text;
}

}  // namespace tessera
