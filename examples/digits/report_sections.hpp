// The larger sections of the report, each in a file of its own; report.cpp puts them together.
#pragma once

#include <string>

#include "run.hpp"

namespace digits {

/// The confusion matrix as a heat map with counts, the share found of each class, and the most frequent mix-ups.
std::string confusion_section(const Run& run);

/// Test images that were misread, drawn as images: the ones that the network was surest of come first.
std::string mistakes_section(const Run& run);

}  // namespace digits
