// Looks at what an exception says.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <string_view>

/// The message of the `Error` that `action` throws; fails the test if it throws nothing, or something else.
template <typename Error, typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  FAIL_CHECK("nothing was thrown");
  return "";
}

/// Says what is missing where, on failure.
inline void check_contains(const std::string& text, std::string_view part) {
  INFO("looking for: ", std::string(part));
  INFO("in: ", text);
  CHECK(text.find(part) != text.npos);
}
