module;
#include <cstdint>
#include <new>
export module tessera.core:error;
import tessera.standard;

// The library's error types and the one form of their messages. The types are attached to no module, so that their names are what a user
// knows them by: what an uncaught exception prints begins with 'tessera::ShapeError', as std::type_info::name() does.
namespace tessera {

extern "C++" {

/// Shapes that do not fit together, or a size that cannot exist.
export class ShapeError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An element type that an operation cannot take or convert.
export class DTypeError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// Operands on different places, or memory used at a place where it is not.
export class PlaceError : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// An index, bound or axis outside its range.
export class IndexError : public std::out_of_range {
 public:
  using std::out_of_range::out_of_range;
};

/// A place has no memory left for a request; the message holds its figures.
export class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(const std::string& message) : message_(message) {}
  const char* what() const noexcept override { return message_.what(); }

 private:
  std::runtime_error message_;  // its copy never throws
};

/// A device that is missing or that failed.
export class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file or text whose content is not what its format promises.
export class FormatError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Processes that do not go on together: one has ended, has not come in time, or has called something else than the others.
export class CollectiveError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A misuse of the scheduler.
export class SchedulerError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // extern "C++"

/// The parts of an error message, in the order in which they are printed.
export struct Failure {
  std::string_view operation;                        ///< what was asked for: "dot", "reshape"
  std::string problem;                               ///< what is wrong, with values and the first offending axis
  std::initializer_list<std::string> operands = {};  ///< each operand described: "a is f32 (2, 3) on cpu"
  std::string_view advice = {};                      ///< what to do about it
  std::source_location where = {};                   ///< where the user called it; line 0 when unknown
};

/// One line: "operation: problem; operands; advice; called at file:line".
export std::string to_string(const Failure& failure);

namespace core {

/// In a handler: throws what is being handled again, with "called at file:line" at the end of its message if that is one of the errors above
/// and its message says no place yet.
export [[noreturn]] void rethrow_called_at(const std::source_location& where);

}  // namespace core
using core::rethrow_called_at;

}  // namespace tessera
