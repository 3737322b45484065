module;
#include <source_location>
#include <string>
module tessera.algorithm;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;

// What scans say to options that exclude each other.
namespace tessera {

void check_options(const ScanOptions& options, const rows::Argument& argument) {
  if (!options.include_initial || !options.exclusive) return;
  rows::throw_value(argument, "include_initial and exclusive exclude each other",
                    "an exclusive scan starts from the same value, and leaves out the last");
}

}  // namespace tessera
