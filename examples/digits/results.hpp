// The final figures of a run: a table to read and a JSON file for programs.
#pragma once

#include <filesystem>
#include <string>

#include "run.hpp"

namespace digits {

/// The table that ends a run: accuracy, speed, memory, time per kind of operation.
std::string results_table(const Run& run);

/// The same figures as a JSON object; numbers that are not finite become null, which is all that JSON offers.
std::string results_json(const Run& run);

/// Writes results_json whole or not at all. Throws OutputError.
void write_results(const std::filesystem::path& file, const Run& run);

}  // namespace digits
