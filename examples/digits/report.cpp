// The report of a run, section by section.
#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "chart.hpp"
#include "embedded.hpp"
#include "output_file.hpp"
#include "report_sections.hpp"
#include "text.hpp"

namespace digits {

namespace {

constexpr std::size_t most_points = 400;

std::string network(const Run& run) { return joined(layers(run), "–"); }

std::string threads(const Run& run) {
  const std::string processes = run.processes.empty() ? "" : std::to_string(run.processes.size()) + " processes with ";
  if (!run.gpu.empty()) return "on " + processes + run.gpu;
  return "on " + processes + std::to_string(run.threads) + (run.threads == 1 ? " thread" : " threads");
}

std::string head(const Run& run) {
  // The policy makes the browser itself refuse whatever would come from outside the file.
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
         "img-src data:\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>" +
         html_escaped(run.dataset) + ": " + percent(last_epoch(run).test_accuracy, 1) +
         " – Tessera</title>\n<style>\n" + std::string(embedded_style()) + "</style>\n</head>\n";
}

std::string epochs(std::int64_t count) { return grouped(count) + (count == 1 ? " epoch" : " epochs"); }

/// "trained on 1,437 images for 4 epochs in 8 ms on 2 threads"
std::string training(const Run& run) {
  const std::int64_t done = epochs_done(run);
  if (done == 0) return "not trained here";
  const std::string all = "trained on " + grouped(run.train_images) + " images for " + epochs(done);
  if (run.epochs.empty()) return all + ", none of them here";
  const std::string here =
      run.epochs_before > 0 ? ", " + grouped(static_cast<std::int64_t>(run.epochs.size())) + " of them here" : "";
  return all + here + " in " + duration(train_seconds(run)) + " " + threads(run);
}

std::string title(const Run& run) {
  const Epoch last = last_epoch(run);
  return "<header><p class=\"brand\"><svg viewBox=\"0 0 22 22\" aria-hidden=\"true\"><rect width=\"10\" height=\"10\" "
         "rx=\"2\"/><rect x=\"12\" width=\"10\" height=\"10\" rx=\"2\" class=\"b\"/><rect y=\"12\" width=\"10\" "
         "height=\"10\" rx=\"2\" class=\"c\"/><rect x=\"12\" y=\"12\" width=\"10\" height=\"10\" rx=\"2\" "
         "class=\"d\"/></svg>Tessera · " +
         html_escaped(run.dataset) + "</p><h1><span>" + percent(last.test_accuracy, 1) + "</span> of " +
         grouped(run.test_images) + " unseen images read correctly</h1><p class=\"lead\">A " + network(run) +
         " perceptron with " + grouped(parameter_count(run)) + " parameters, " + training(run) + ".</p></header>\n";
}

std::string tile(std::string_view label, const std::string& value, const std::string& note) {
  return "<div class=\"tile\"><dt>" + std::string(label) + "</dt><dd>" + value + "</dd><dd class=\"note\">" + note +
         "</dd></div>";
}

std::string tiles(const Run& run) {
  const Epoch last = last_epoch(run);
  const auto best = std::ranges::max_element(run.epochs, {}, &Epoch::test_accuracy);
  const std::string best_note = best == run.epochs.end()
                                    ? ""
                                    : "best " + percent(best->test_accuracy) + " in epoch " +
                                          std::to_string(best - run.epochs.begin() + 1 + run.epochs_before);
  const double count = static_cast<double>(std::max<std::size_t>(1, run.epochs.size()));
  return "<dl class=\"tiles\" id=\"figures\">" + tile("Test accuracy", percent(last.test_accuracy), best_note) +
         tile("Misread", grouped(static_cast<std::int64_t>(run.mistakes.size())),
              "of " + grouped(run.test_images) + " test images") +
         tile("Test loss", fixed(last.test_loss, 4),
              run.epochs.empty() ? "" : "training " + fixed(last.train_loss, 4)) +
         tile("Training time", duration(train_seconds(run)), duration(train_seconds(run) / count) + " an epoch") +
         tile("Speed", grouped(std::llround(images_per_second(run))), "images a second " + threads(run)) +
         tile("Peak memory", byte_count(peak_bytes(run)), "on all places together") + "</dl>\n";
}

Series epoch_series(const Run& run, std::string name, std::string style, double Epoch::* figure) {
  Series series{std::move(name), std::move(style), {}};
  for (std::size_t i = 0; i < run.epochs.size(); ++i)
    series.points.push_back({run.epochs_before + static_cast<double>(i + 1), run.epochs[i].*figure});
  series.points = thinned(series.points, most_points);
  return series;
}

Series step_series(const Run& run) {
  Series series{"", "train", {}};
  const double scale = static_cast<double>(run.epochs.size()) / static_cast<double>(run.step_losses.size());
  for (std::size_t i = 0; i < run.step_losses.size(); ++i)
    series.points.push_back({run.epochs_before + static_cast<double>(i + 1) * scale, run.step_losses[i]});
  series.points = thinned(series.points, most_points);
  return series;
}

std::string curves(const Run& run) {
  if (run.epochs.empty()) return "";
  const double begin = run.epochs_before;
  const double end = begin + static_cast<double>(run.epochs.size());
  LineChart loss{"Loss", "epoch", {}, begin, end, [](double v) { return fixed(v, 4); }, shortest};
  loss.series.push_back(step_series(run));
  loss.series.push_back(epoch_series(run, "training", "train", &Epoch::train_loss));
  loss.series.push_back(epoch_series(run, "test", "test", &Epoch::test_loss));

  const auto tick = [](double v) { return percent(v, std::abs(v * 100 - std::round(v * 100)) < 1e-6 ? 0 : 1); };
  LineChart accuracy{"Accuracy", "epoch", {}, begin, end, [](double v) { return percent(v); }, tick};
  accuracy.series.push_back(epoch_series(run, "training", "train", &Epoch::train_accuracy));
  accuracy.series.push_back(epoch_series(run, "test", "test", &Epoch::test_accuracy));
  return "<section id=\"curves\"><h2>How it learned</h2><div class=\"pair\">" + line_chart(loss) +
         line_chart(accuracy) + "</div></section>\n";
}

std::string operations(const Run& run) {
  std::vector<OperationTime> sorted = run.operations;
  std::ranges::sort(sorted, std::ranges::greater{}, &OperationTime::seconds);
  double total = 0;
  for (const OperationTime& operation : sorted) total += operation.seconds;
  std::string html = "<div class=\"card\" id=\"operations\"><h3>Time by kind of operation</h3><ul class=\"bars\">";
  for (const OperationTime& operation : sorted) {
    const double share = total > 0 ? operation.seconds / total : 0;
    html += "<li><p><span>" + html_escaped(operation.kind) + "</span><span class=\"figure\">" +
            duration(operation.seconds) + " <small>" + percent(share, 1) +
            "</small></span></p><div class=\"bar\"><div style=\"width:" + fixed(share * 100, 2) +
            "%\"></div></div><p class=\"note\">" + grouped(operation.calls) +
            (operation.calls == 1 ? " call" : " calls") + "</p></li>";
  }
  if (sorted.empty()) html += "<li class=\"note\">No operation was timed.</li>";
  return html + "</ul></div>";
}

/// What the processes spent on each other in the steps that were traced.
std::string communication(const Run& run) {
  if (run.processes.empty()) return "";
  std::string html =
      "<div class=\"card\" id=\"communication\"><h3>Time between processes</h3><p class=\"note\">In the steps that "
      "were "
      "traced: while gradients were added up, or other processes waited for; and how much of that went by beside "
      "computing.</p><div class=\"wide\"><table class=\"plain\"><thead><tr><th>rank</th><th>traced</th>"
      "<th>communication</th><th>beside computing</th><th>alone</th></tr></thead><tbody>";
  for (std::size_t rank = 0; rank < run.processes.size(); ++rank) {
    const ProcessTime& time = run.processes[rank];
    html += "<tr><th scope=\"row\">" + std::to_string(rank) + "</th><td>" + duration(time.seconds) + "</td><td>" +
            duration(time.communication) + "</td><td>" + duration(time.overlapped) + "</td><td>" +
            duration(time.communication - time.overlapped) + "</td></tr>";
  }
  return html + "</tbody></table></div></div>";
}

std::string memory(const Run& run) {
  std::string html = "<div class=\"card\" id=\"memory\"><h3>Memory by place</h3>";
  if (run.memory.empty()) return html + "<p class=\"note\">No place was watched.</p></div>";
  html +=
      "<div class=\"wide\"><table class=\"plain\"><thead><tr><th>place</th>"
      "<th>peak</th><th>at the end</th><th>allocations</th></tr></thead><tbody>";
  for (const PlaceMemory& place : run.memory)
    html += "<tr><th scope=\"row\">" + html_escaped(place.place) + "</th><td>" + byte_count(place.peak_bytes) +
            "</td><td>" + byte_count(place.used_bytes) + "</td><td>" + grouped(place.allocations) + "</td></tr>";
  return html + "</tbody></table></div></div>";
}

/// What the chunks of memory held at the peak; the picture scales to the page.
std::string memory_map(const Run& run) {
  if (run.memory_map.empty()) return "";
  const auto peak = static_cast<double>(std::max<std::int64_t>(1, peak_bytes(run)));
  return "<div class=\"card\" id=\"memory-map\"><h3>Memory at its peak</h3><p class=\"note\">The chunks that the pool "
         "had taken "
         "from the system, drawn when " +
         byte_count(run.memory_map_bytes) + " were in use, " +
         percent(static_cast<double>(run.memory_map_bytes) / peak, 0) +
         " of the highest figure of the run. A piece's size is its title.</p><div class=\"wide\">" + run.memory_map +
         "</div></div>";
}

std::string costs(const Run& run) {
  return "<section id=\"costs\"><h2>What it cost</h2><div class=\"pair\">" + operations(run) + memory(run) + "</div>" +
         communication(run) + memory_map(run) + "</section>\n";
}

/// Of a scheduler's ops.
std::string dependencies(const Run& run) {
  if (run.graph.empty()) return "";
  return "<div class=\"card\"><h3>What waits for what in one step</h3><div class=\"wide\">" + run.graph +
         "</div></div>";
}

/// What the scheduler and the GPU did; the pictures scale to the page, the wide one scrolls.
std::string schedule(const Run& run) {
  if (run.timeline.empty()) return "";
  return "<section id=\"schedule\"><h2>Operations at once</h2><div class=\"card\"><h3>Some steps in time</h3>"
         "<div class=\"wide\">" +
         run.timeline + "</div></div>" + dependencies(run) + "</section>\n";
}

/// One of the kernels that the library wrote and compiled for the GPU while the program ran.
std::string kernel(const Run& run) {
  if (run.kernel.empty()) return "";
  return "<section id=\"kernel\"><h2>A kernel that ran</h2><div class=\"card\"><h3>" + html_escaped(run.kernel_of) +
         "</h3><p class=\"note\">CUDA text that was made from the types of this line and compiled while the program "
         "ran, for " +
         html_escaped(run.gpu) + ".</p><div class=\"wide\"><pre><code>" + html_escaped(run.kernel) +
         "</code></pre></div></div></section>\n";
}

std::string fact(std::string_view label, const std::string& value) {
  return "<div><dt>" + std::string(label) + "</dt><dd>" + html_escaped(value) + "</dd></div>";
}

std::string setup(const Run& run) {
  const Options& options = run.options;
  std::string html = "<section id=\"setup\"><h2>How to repeat it</h2>";
  if (!run.command.empty()) html += "<pre class=\"card\"><code>" + html_escaped(run.command) + "</code></pre>";
  html += "<div class=\"pair\"><dl class=\"card facts\">" + fact("Data", run.dataset) + fact("Network", network(run)) +
          fact("Stored as", std::string(name(options.dtype))) + fact("Batch", std::to_string(options.batch)) +
          fact("Learning rate", shortest(options.learning_rate)) + fact("Momentum", shortest(options.momentum)) +
          fact("Weight decay", shortest(options.decay)) + fact("Seed", std::to_string(options.seed)) +
          fact("Weights (checksum)", hexadecimal(run.checksum)) + "</dl>";
  html += "<dl class=\"card facts\">" + fact("Processor", run.machine.processor) +
          fact("Cores", std::to_string(run.machine.cores)) + (run.gpu.empty() ? "" : fact("GPU", run.gpu)) +
          (run.processes.empty() ? "" : fact("Processes", std::to_string(run.processes.size()))) +
          fact("Threads", std::to_string(run.threads)) + fact("System", run.machine.system) +
          fact("Compiler", run.machine.compiler) + "</dl></div>";
  return html + "</section>\n";
}

}  // namespace

std::string render_report(const Run& run) {
  return head(run) + "<body>\n<main>\n" + title(run) + tiles(run) + curves(run) + confusion_section(run) +
         mistakes_section(run) + costs(run) + schedule(run) + kernel(run) + setup(run) + "</main>\n</body>\n</html>\n";
}

void write_report(const std::filesystem::path& file, const Run& run) { write_file(file, render_report(run)); }

}  // namespace digits
