// Trains a network on a data set and gathers what the run leaves behind.
#pragma once

#include "dataset.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "run.hpp"

namespace digits {

/// Trains as `options` say and looks at the test images after every epoch. Throws what the library throws.
Run train(const Options& options, const Dataset& data, Progress& progress);

}  // namespace digits
