// Figures that follow from the facts of a run.
#include "run.hpp"

#include <cstddef>

namespace digits {

Run make_run(const Options& options, const Dataset& data) {
  Run run;
  run.options = options;
  run.machine = machine_facts();
  run.threads = options.threads.value_or(run.machine.cores);
  run.dataset = data.name;
  run.class_names = data.class_names;
  run.rows = data.rows;
  run.columns = data.columns;
  run.train_images = static_cast<std::int64_t>(data.train_labels.size());
  run.test_images = static_cast<std::int64_t>(data.test_labels.size());
  return run;
}

std::vector<std::int64_t> layers(const Run& run) {
  std::vector<std::int64_t> widths{std::int64_t{run.rows} * run.columns};
  widths.insert(widths.end(), run.options.widths.begin(), run.options.widths.end());
  widths.push_back(static_cast<std::int64_t>(run.class_names.size()));
  return widths;
}

std::int64_t parameter_count(const Run& run) {
  const std::vector<std::int64_t> widths = layers(run);
  std::int64_t count = 0;
  for (std::size_t i = 1; i < widths.size(); ++i) count += (widths[i - 1] + 1) * widths[i];
  return count;
}

Epoch last_epoch(const Run& run) { return run.epochs.empty() ? run.start : run.epochs.back(); }

std::int64_t epochs_done(const Run& run) { return run.epochs_before + static_cast<std::int64_t>(run.epochs.size()); }

double train_seconds(const Run& run) {
  double seconds = 0;
  for (const Epoch& epoch : run.epochs) seconds += epoch.seconds;
  return seconds;
}

double images_per_second(const Run& run) {
  const double seconds = train_seconds(run);
  if (!(seconds > 0)) return 0;
  return static_cast<double>(run.train_images) * static_cast<double>(run.epochs.size()) / seconds;
}

std::int64_t peak_bytes(const Run& run) {
  std::int64_t bytes = 0;
  for (const PlaceMemory& place : run.memory) bytes += place.peak_bytes;
  return bytes;
}

}  // namespace digits
