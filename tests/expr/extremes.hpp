// Numbers at the ends of what integers hold, given to functions: each is answered as the model says, or refused with the number in the message.
#pragma once
#include "support.hpp"

#include <functional>
#include <optional>
#include <stdexcept>

namespace support {

/// Wider than every number of a call.
__extension__ using Wide = __int128;

/// Calls body(number) with numbers of a type: its ends, what is beside them, and small ones.
template <class I, class Body>
void for_numbers_of(const Body& body) {
  using Limits = std::numeric_limits<I>;
  for (const I number :
       {Limits::min(), Limits::max(), static_cast<I>(Limits::max() / 2 + 1), static_cast<I>(Limits::max() - 1),
        static_cast<I>(Limits::min() + 1), I(-1), I(-2), I(0), I(1), I(2), I(3)})
    body(number);
}

template <class Body>
void for_long_numbers(const Body& body) {
  for_numbers_of<std::int64_t>(body);
  for_numbers_of<std::uint64_t>(body);
}

template <class Body>
void for_all_numbers(const Body& body) {
  for_long_numbers(body);
  for_numbers_of<std::int8_t>(body);
  for_numbers_of<std::uint8_t>(body);
  for_numbers_of<std::int16_t>(body);
  for_numbers_of<std::uint16_t>(body);
  for_numbers_of<std::int32_t>(body);
  for_numbers_of<std::uint32_t>(body);
}

/// What is right: a text, or nothing where the call is to be refused.
using Answer = std::optional<std::string>;
inline const Answer refused = std::nullopt;

/// Names the number: as it was given, as the signed one or the greatest position that a parameter makes of it, or added to a few elements.
template <class I>
bool names_number(const std::string& message, I number) {
  const auto as_signed = static_cast<std::int64_t>(number);
  for (const std::string& text : {std::to_string(number), std::to_string(as_signed)})
    if (contains(message, text)) return true;
  for (int more = 1; more <= 3 && as_signed <= PTRDIFF_MAX - more; ++more)
    if (contains(message, std::to_string(as_signed + more))) return true;
  return std::cmp_greater(number, PTRDIFF_MAX) && contains(message, std::to_string(PTRDIFF_MAX));
}

/// What a call returns or how it refuses, compared with what is right.
template <class I, class Call>
void check_call(const std::string& name, I number, const Answer& wanted, const Call& call) {
  const std::string what = name + " with " + std::to_string(number);
  CAPTURE(what);
  const auto is_refusal = [&](const std::exception& error) {
    CHECK_MESSAGE(!wanted, error.what());
    CHECK_MESSAGE(names_number(error.what(), number), error.what());
  };
  try {
    const std::string got = call();
    CHECK(got == wanted.value_or("a refusal"));
  } catch (const std::logic_error& error) {  // ShapeError, IndexError, SchedulerError
    is_refusal(error);
  } catch (const OutOfMemory& error) {
    is_refusal(error);
  }
}

/// `call` and `model` take a number of each kind that `numbers` gives.
template <class Numbers, class Call, class Model>
void check_calls(const std::string& name, const Numbers& numbers, const Call& call, const Model& model) {
  numbers([&](auto number) { check_call(name, number, model(Wide(number)), [&] { return call(number); }); });
}

}  // namespace support
