// The files that the build puts inside the program.
#pragma once

#include <string_view>

namespace digits {

/// Bytes of data/digits.csv.gz.
std::string_view embedded_digits();

/// Bytes of report.css.
std::string_view embedded_style();

}  // namespace digits
