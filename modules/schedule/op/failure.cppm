module;
#include <cstdint>
export module tessera.schedule:failure;
import tessera.standard;
import tessera.core;

// What is known of an op that failed. Every Var that it should have written, and every op that should have read those, shares it.
namespace tessera {

extern "C++" {  // as the other error types (core/error.cppm): their names are what an uncaught exception prints

/// Thrown when something is waited for that a failed op should have written. The message names the op, where it was submitted and
/// what it threw; cause() is what it threw, of whatever type.
export class OperationFailed : public std::runtime_error {
 public:
  OperationFailed(const std::string& message, std::exception_ptr cause)
      : std::runtime_error(message), cause_(std::move(cause)) {}

  inline const std::exception_ptr& cause() const noexcept { return cause_; }
  [[noreturn]] void rethrow_cause() const { std::rethrow_exception(cause_); }

 private:
  std::exception_ptr cause_;
};

/// The cause of an op that was not begun because its stop_token or its scheduler said so.
export class Cancelled : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wait that ended at its deadline; the message names the op that it waited for.
export class DeadlineExceeded : public SchedulerError {
 public:
  using SchedulerError::SchedulerError;
};

}  // extern "C++"

struct FailureRecord {
  std::exception_ptr cause;
  const char* name;
  std::source_location where;
  bool cancelled = false;
  std::atomic<std::uint32_t> shares{1};
  mutable std::atomic<bool> was_thrown{false};  // to somebody who waited
};

namespace schedule {

/// A share of a failure, or none.
export class SharedFailure {
 public:
  SharedFailure() noexcept = default;
  inline explicit SharedFailure(FailureRecord* record) noexcept : record_(record) {}
  inline SharedFailure(const SharedFailure& other) noexcept : record_(other.record_) {
    if (record_ != nullptr) record_->shares.fetch_add(1, std::memory_order_relaxed);
  }
  inline SharedFailure(SharedFailure&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  SharedFailure& operator=(SharedFailure other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  inline ~SharedFailure() {
    if (record_ != nullptr) [[unlikely]]
      give_up();
  }

  inline explicit operator bool() const noexcept { return record_ != nullptr; }
  inline const FailureRecord& operator*() const noexcept { return *record_; }
  const FailureRecord* operator->() const noexcept { return record_; }

 private:
  void give_up() noexcept;

  FailureRecord* record_ = nullptr;
};

}  // namespace schedule
using schedule::SharedFailure;

/// The first failures of which no Var tells, until somebody asks for them.
class UnobservedFailures {
 public:
  void note(const SharedFailure& failure) noexcept;
  /// The oldest one, or none; all are forgotten.
  SharedFailure take() noexcept;

 private:
  void forget_observed() noexcept;

  std::mutex mutex_;
  std::array<SharedFailure, 8> failures_;  // the first ones, oldest first, then empty ones
};

/// The exception that is being handled, as the failure of an op. Never fails itself: without memory it is a record that says so.
SharedFailure failure_of_current_exception(const char* name, const std::source_location& where) noexcept;

/// The same for an op that was not begun.
SharedFailure cancelled_failure(const char* name, const std::source_location& where, const char* why) noexcept;

/// Throws OperationFailed.
[[noreturn]] void throw_failure(const FailureRecord& failure);

/// "'name' (submitted at file:line)".
std::string description_of(const char* name, const std::source_location& where);

}  // namespace tessera
