// What the tests of pages share: any value as the text that a program would print.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

import tessera;

namespace support {

/// The value as it prints.
template <class X>
std::string text(const X& x) {
  std::ostringstream out;
  if constexpr (std::is_same_v<X, bool>) {
    out << (x ? "true" : "false");
  } else {
    out << x;
  }
  return out.str();
}

/// The shape as it prints.
template <class X>
std::string shape(const X& x) {
  return text(x.shape());
}

}  // namespace support
