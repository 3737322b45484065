// The final figures of a run, as a table and as JSON.
#include "results.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "output_file.hpp"
#include "text.hpp"

namespace digits {

namespace {

std::string row(std::string_view label, const std::string& value) {
  std::string line = "  " + std::string(label);
  line.resize(std::max<std::size_t>(line.size() + 1, 21), ' ');
  return line + value + "\n";
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// "rank 1: 18.2 % of the time, of which 60.1 % beside computing"
std::string process_text(const ProcessTime& time, std::size_t rank) {
  const auto share = [](double part, double all) { return percent(all > 0 ? part / all : 0, 1); };
  return "rank " + std::to_string(rank) + ": " + share(time.communication, time.seconds) + " of the time, of which " +
         share(time.overlapped, time.communication) + " beside computing";
}

std::string operations_table(const Run& run) {
  if (run.operations.empty()) return "";
  double total = 0;
  for (const OperationTime& operation : run.operations) total += operation.seconds;
  std::string text = "\n  operation                time   share       calls\n";
  for (const OperationTime& operation : run.operations) {
    std::string kind = operation.kind;
    kind.resize(std::max<std::size_t>(kind.size() + 1, 19), ' ');
    text += "  " + kind + right(duration(operation.seconds), 10) +
            right(percent(total > 0 ? operation.seconds / total : 0, 1), 8) + right(grouped(operation.calls), 12) +
            "\n";
  }
  return text;
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') result += '\\';
    result += byte < 0x20 ? "\\u00" + hexadecimal(byte).substr(14) : std::string(1, character);
  }
  return result + "\"";
}

std::string json_number(double value) { return std::isfinite(value) ? shortest(value) : "null"; }

}  // namespace

std::string results_table(const Run& run) {
  const Epoch last = last_epoch(run);
  std::string text = "\n";
  text += row("data", run.dataset + ", " + grouped(run.train_images) + " images to train, " + grouped(run.test_images) +
                          " to test");
  text += row("network", joined(layers(run), "-") + ", " + grouped(parameter_count(run)) + " parameters, " +
                             std::string(name(run.options.dtype)));
  text += row("test accuracy", percent(last.test_accuracy) + " (" +
                                   grouped(static_cast<std::int64_t>(run.mistakes.size())) + " of " +
                                   grouped(run.test_images) + " wrong)");
  text += row("test loss", fixed(last.test_loss, 4));
  text +=
      row("training",
          duration(train_seconds(run)) + ", " + grouped(static_cast<std::int64_t>(run.epochs.size())) + " epochs" +
              (run.epochs_before > 0 ? " after " + grouped(run.epochs_before) : "") + ", " +
              grouped(std::llround(images_per_second(run))) + " images/s on " +
              (run.processes.empty() ? "" : std::to_string(run.processes.size()) + " processes with ") +
              (run.gpu.empty() ? std::to_string(run.threads) + (run.threads == 1 ? " thread" : " threads") : run.gpu));
  for (std::size_t rank = 0; rank < run.processes.size(); ++rank)
    text += row(rank == 0 ? "communication" : "", process_text(run.processes[rank], rank));
  for (const PlaceMemory& place : run.memory)
    text += row("peak memory", byte_count(place.peak_bytes) + " on " + place.place);
  text += row("weights", hexadecimal(run.checksum) + " (checksum, seed " + std::to_string(run.options.seed) + ")");
  if (run.options.save) text += row("saved in", run.options.save->string());
  return text + operations_table(run);
}

std::string results_json(const Run& run) {
  std::string text;
  const auto member = [&text](std::string_view key, const std::string& value) {
    text += (text.empty() ? "{\n  " : ",\n  ") + json_string(key) + ": " + value;
  };
  const Epoch last = last_epoch(run);
  member("dataset", json_string(run.dataset));
  member("accuracy", json_number(last.test_accuracy));
  member("test_loss", json_number(last.test_loss));
  member("train_accuracy", json_number(last.train_accuracy));
  member("train_loss", json_number(last.train_loss));
  member("train_seconds", json_number(train_seconds(run)));
  member("images_per_second", json_number(images_per_second(run)));
  member("peak_bytes", std::to_string(peak_bytes(run)));
  member("processes", std::to_string(std::max<std::size_t>(1, run.processes.size())));
  member("threads", std::to_string(run.threads));
  member("seed", std::to_string(run.options.seed));
  member("checksum", json_string(hexadecimal(run.checksum)));
  member("dtype", json_string(name(run.options.dtype)));
  member("epochs", std::to_string(epochs_done(run)));
  member("batch", std::to_string(run.options.batch));
  member("layers", "[" + joined(layers(run), ", ") + "]");
  member("learning_rate", json_number(run.options.learning_rate));
  member("momentum", json_number(run.options.momentum));
  member("decay", json_number(run.options.decay));
  return text + "\n}\n";
}

void write_results(const std::filesystem::path& file, const Run& run) { write_file(file, results_json(run)); }

}  // namespace digits
