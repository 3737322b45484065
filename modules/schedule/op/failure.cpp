module;
#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <source_location>
#include <string>
#include <typeinfo>
module tessera.schedule;

// Failures: recorded where they happen, told where somebody waits.
namespace tessera {

namespace {

/// Stands in for a failure that could not be recorded for lack of memory. It is never freed.
FailureRecord& emergency_record() {
  static FailureRecord& record =
      *new FailureRecord{.cause = std::make_exception_ptr(std::bad_alloc()), .name = "op", .where = {}};
  return record;
}

SharedFailure emergency() noexcept {
  emergency_record().shares.fetch_add(1, std::memory_order_relaxed);
  return SharedFailure(&emergency_record());
}

/// Makes the record while there is memory.
[[maybe_unused]] const FailureRecord& made_at_start = emergency_record();

std::string what_of(const std::exception_ptr& cause) {
  try {
    std::rethrow_exception(cause);
  } catch (const std::exception& exception) {
    return exception.what();
  } catch (const std::string& text) {
    return text;
  } catch (const char* text) {
    return text;
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace

void SharedFailure::give_up() noexcept {
  if (record_->shares.fetch_sub(1, std::memory_order_acq_rel) == 1) delete record_;
}

SharedFailure failure_of_current_exception(const char* name, const std::source_location& where) noexcept {
  try {
    return SharedFailure(new FailureRecord{.cause = std::current_exception(), .name = name, .where = where});
  } catch (...) {
    return emergency();
  }
}

SharedFailure cancelled_failure(const char* name, const std::source_location& where, const char* why) noexcept {
  try {
    return SharedFailure(new FailureRecord{
        .cause = std::make_exception_ptr(Cancelled(why)), .name = name, .where = where, .cancelled = true});
  } catch (...) {
    return emergency();
  }
}

std::string description_of(const char* name, const std::source_location& where) {
  std::string text = "'" + std::string(name) + "'";
  if (where.line() != 0) {
    text += " (submitted at " + std::string(where.file_name()) + ":" + std::to_string(where.line()) + ")";
  }
  return text;
}

void throw_failure(const FailureRecord& failure) {
  if (&failure != &emergency_record()) failure.was_thrown.store(true, std::memory_order_relaxed);
  const std::string verb = failure.cancelled ? " was cancelled: " : " failed: ";
  throw OperationFailed("op " + description_of(failure.name, failure.where) + verb + what_of(failure.cause),
                        failure.cause);
}

SharedFailure UnobservedFailures::take() noexcept {
  const std::lock_guard lock(mutex_);
  forget_observed();
  SharedFailure first = failures_.front();
  failures_.fill(SharedFailure());
  return first;
}

void UnobservedFailures::note(const SharedFailure& failure) noexcept {
  const std::lock_guard lock(mutex_);
  forget_observed();
  const auto free = std::ranges::find_if(failures_, [](const SharedFailure& kept) { return !kept; });
  if (free != failures_.end()) *free = failure;
}

/// Somebody has waited for an op after it had ended.
void UnobservedFailures::forget_observed() noexcept {
  const auto is_gone = [](const SharedFailure& kept) {
    return !kept || kept->was_thrown.load(std::memory_order_relaxed);
  };
  const auto rest = std::ranges::remove_if(failures_, is_gone);
  std::ranges::fill(rest, SharedFailure());
}

}  // namespace tessera
