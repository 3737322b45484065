// What the file of --load or --resume says of the run that is to begin.
#pragma once

#include "options.hpp"

namespace digits {

/// Completes the options of a run that begins with a file: by the widths and the type of the weights to load, or by all that decides the
/// weights of the run to resume. Throws UsageError where the command line says something else, DataError and what the library throws for
/// a file that is not usable.
void take_file_settings(Options& options);

}  // namespace digits
