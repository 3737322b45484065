// The report of a run: one HTML file that needs nothing but a browser, on a desk or on a phone, by day or by night.
#pragma once

#include <filesystem>
#include <string>

#include "run.hpp"

namespace digits {

/// The page: no script, no request for anything outside itself. Throws std::invalid_argument if the run's matrix or
/// images do not have the sizes that the run states.
std::string render_report(const Run& run);

/// Writes render_report whole or not at all. Throws OutputError.
void write_report(const std::filesystem::path& file, const Run& run);

}  // namespace digits
