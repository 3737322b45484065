// The command line of the digits example: what a run is asked to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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
  bool async = false;      ///< train on the scheduler, several operations at once
  std::optional<int> gpu;  ///< train on this GPU instead of the CPU
  bool quiet = false;      ///< no progress and no table
  bool help = false;       ///< print help_text() and leave; the other members hold defaults
};

/// What a run does when nothing is asked for.
Options default_options(bool fashion);

/// Options of a command line without the program's name. Throws UsageError naming option, value and allowed range.
Options parse_options(std::span<const std::string_view> arguments);

/// As above, from main's parameters.
Options parse_options(int argument_count, const char* const* arguments);

/// Throws UsageError if a step would need more images than there are to train on.
void require_fitting_batch(const Options& options, std::int64_t train_images);

/// The command line as it can be typed again.
std::string command_text(int argument_count, const char* const* arguments);

/// The text of --help: every option with its range and defaults.
std::string help_text();

}  // namespace digits
