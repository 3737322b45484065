// Reads the file of --load or --resume before the data, which it may choose.
#include "start.hpp"

#include <string>

#include "dataset.hpp"
#include "errors.hpp"
#include "text.hpp"

import tessera;
import digits.checkpoint;

namespace digits {

using namespace tessera;

namespace {

void take_data_set(Options& options, const std::string& name) {
  const std::string file = in_quotes(options.resume->string());
  if (name != digits_name && name != fashion_name) throw DataError(file + ": there is no data set " + in_quotes(name));
  if (options.fashion && name != fashion_name)
    throw UsageError("--fashion: " + in_quotes(fashion_name) + ", but " + file + " has " + in_quotes(name));
  options.fashion = name == fashion_name;
}

/// Its settings in the order of this program; the file may have more.
Settings settings_in(const Checkpoint& checkpoint) {
  Settings settings = settings_of(default_options(false));
  for (auto& [name, value] : settings)
    value = name == "reproducible" ? checkpoint.fact_or(name, "0")
                                   : checkpoint.fact(name);  // from before there was that option
  return settings;
}

}  // namespace

Job job() {
  const Group world = Group::world();
  return {world.rank(), world.size()};
}

void take_file_settings(Options& options) {
  if (options.load) take_settings(options, Checkpoint(*options.load).shape(), *options.load);
  if (!options.resume) return;
  const Checkpoint checkpoint(*options.resume);
  take_data_set(options, checkpoint.fact("dataset"));
  take_settings(options, settings_in(checkpoint), *options.resume);
}

}  // namespace digits
