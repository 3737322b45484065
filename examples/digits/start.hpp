// What is known before the data is read: the processes, and what the file of --load or --resume says of the run that is to begin.
#pragma once

#include "options.hpp"

namespace digits {

/// Which of the processes this is that a launcher has started to train together, and how many there are. Throws what Group::world does.
struct Job {
  int rank = 0;
  int size = 1;
};
Job job();

/// Completes the options of a run that begins with a file: by the widths and the type of the weights to load, or by all that decides the
/// weights of the run to resume. Throws UsageError where the command line says something else, DataError and what the library throws for
/// a file that is not usable.
void take_file_settings(Options& options);

}  // namespace digits
