// The command line of the digits example: what a run is asked to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace digits {

/// Number format in which weights, activations and gradients are stored.
enum class Precision { f32, f64, bf16 };

/// "f32", "f64" or "bf16".
std::string_view name(Precision precision);

struct Options {
  bool fashion = false;                     ///< train on Fashion-MNIST instead of the embedded digits
  std::filesystem::path fashion_directory;  ///< where its four IDX files lie
  int epochs = 0;
  int batch = 0;                     ///< images a step
  std::vector<std::int64_t> widths;  ///< of the hidden layers, first to last
  double learning_rate = 0;
  double momentum = 0;
  double decay = 0;            ///< weight decay (L2)
  std::optional<int> threads;  ///< the library's default where it is not given
  std::uint64_t seed = 1;      ///< of initial weights and of the order of the images
  Precision dtype = Precision::f32;
  std::optional<std::filesystem::path> json;
  std::filesystem::path report = "report.html";
  std::optional<std::filesystem::path> save;    ///< where the weights go after every epoch
  std::optional<std::filesystem::path> load;    ///< whose weights a new run begins with
  std::optional<std::filesystem::path> resume;  ///< whose run goes on
  std::optional<int> stop_after;                ///< epoch after which to leave before the run is over
  std::optional<std::int64_t> save_every;       ///< steps after which to save too, not only after an epoch
  std::int64_t shards = 0;  ///< of each batch, added up as one tree; 0: as many as there are processes
  std::optional<std::filesystem::path> trace;  ///< where the steps that were traced go, for Perfetto
  bool async = false;                          ///< train on the scheduler, several operations at once
  std::optional<int> gpu;                      ///< train on this GPU instead of the CPU
  bool quiet = false;                          ///< no progress and no table
  bool help = false;                           ///< print help_text() and leave; the other members hold defaults
  std::vector<std::string> given;              ///< names of the options that the command line has
};

/// Values of options as text, by the options' names without dashes: {"batch", "32"}.
using Settings = std::vector<std::pair<std::string, std::string>>;

/// What a run does when nothing is asked for.
Options default_options(bool fashion);

/// Options of a command line without the program's name. Throws UsageError naming option, value and allowed range.
Options parse_options(std::span<const std::string_view> arguments);

/// As above, from main's parameters.
Options parse_options(int argument_count, const char* const* arguments);

/// What decides the weights of a run beside its data: what a file of weights keeps, for the run to be resumed.
Settings settings_of(const Options& options);

/// Gives the options the settings that `file` has. Throws UsageError where the command line says something else, DataError for
/// a setting that no option can have.
void take_settings(Options& options, const Settings& settings, const std::filesystem::path& file);

/// Throws UsageError if a step would need more images than there are to train on.
void require_fitting_batch(const Options& options, std::int64_t train_images);

/// The command line as it can be typed again.
std::string command_text(int argument_count, const char* const* arguments);

/// The text of --help: every option with its range and defaults.
std::string help_text();

}  // namespace digits
