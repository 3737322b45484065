// Writes a report with made-up figures of every kind, for the test that looks at it in a browser:
// sample_report FILE digits|fashion|bare
#include <cmath>
#include <cstddef>
#include <iostream>
#include <string>
#include <string_view>

#include "dataset.hpp"
#include "report.hpp"
#include "run.hpp"

namespace {

using namespace digits;

/// Test images that are "misread": every `stride`-th one, as the class that follows its own.
void misread(Run& run, const Dataset& data, std::size_t stride) {
  const std::size_t classes = data.class_names.size();
  const std::size_t pixels = static_cast<std::size_t>(data.rows) * static_cast<std::size_t>(data.columns);
  run.confusion.assign(classes * classes, 0);
  for (std::size_t i = 0; i < data.test_labels.size(); ++i) {
    const auto truth = static_cast<std::size_t>(data.test_labels[i]);
    const bool wrong = i % stride == stride - 1;
    const std::size_t predicted = wrong ? (truth + 1 + i / stride % 3) % classes : truth;
    ++run.confusion[truth * classes + predicted];
    if (!wrong) continue;
    const auto first = data.test_pixels.begin() + static_cast<std::ptrdiff_t>(i * pixels);
    const double probability = 0.5 + 0.49 * std::abs(std::sin(static_cast<double>(i)));
    run.mistakes.push_back({static_cast<std::int64_t>(i),
                            {first, first + static_cast<std::ptrdiff_t>(pixels)},
                            static_cast<int>(truth),
                            static_cast<int>(predicted),
                            probability,
                            1 - probability});
  }
}

/// Curves that fall and rise as real ones do, with a loss for every batch.
void learn(Run& run, double speed, double floor) {
  const int steps = 45;
  for (int epoch = 0; epoch < run.options.epochs; ++epoch) {
    for (int step = 0; step < steps; ++step) {
      const double t = epoch + static_cast<double>(step) / steps;
      const double noise = 1 + 0.3 * std::sin(t * 77) * std::cos(t * 191);
      run.step_losses.push_back(static_cast<float>((floor + 2.2 * std::exp(-speed * t)) * noise));
    }
    const double loss = floor + 2.2 * std::exp(-speed * (epoch + 1));
    run.epochs.push_back({loss, 1 - loss / 4, loss * 1.4 + 0.03, 0.975 - loss / 4, 0.021});
  }
}

/// A data set of the size of Fashion-MNIST's pictures, so that long names and larger images are seen without the
/// package.
Dataset clothes() {
  Dataset data;
  data.name = "Fashion-MNIST";
  data.rows = data.columns = 28;
  data.classes = 10;
  data.class_names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                      "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};
  data.train_labels.assign(60000, 0);
  for (int i = 0; i < 10000; ++i) {
    data.test_labels.push_back(i * 7 % 10);
    for (int y = 0; y < 28; ++y)
      for (int x = 0; x < 28; ++x)
        data.test_pixels.push_back(
            std::abs(x - 14) + std::abs(y - 14) < 4 + i % 12 ? 0.4f + 0.02f * static_cast<float>(y) : 0.0f);
  }
  return data;
}

Run sample(std::string_view kind) {
  const Dataset data = kind == "fashion" ? clothes() : load_digits();
  Run run = make_run(default_options(kind == "fashion"), data);
  run.command = kind == "fashion" ? "digits --fashion --seed 1 --threads 2" : "digits --seed 1 --threads 2";
  run.checksum = 0x0123456789abcdef;
  if (kind == "bare") {  // everything read correctly, nothing measured, and a loss that is not a number
    run.options.epochs = 1;
    run.epochs.push_back({std::nan(""), 1, std::nan(""), 1, 0});
    misread(run, data, data.test_labels.size() + 1);
    return run;
  }
  learn(run, kind == "fashion" ? 0.9 : 0.35, kind == "fashion" ? 0.22 : 0.004);
  misread(run, data, kind == "fashion" ? 9 : 45);
  run.epochs.back().test_accuracy = 1 - static_cast<double>(run.mistakes.size()) / static_cast<double>(run.test_images);
  run.operations = {{"matrix product", 0.412, 21600},
                    {"elementwise", 0.207, 37800},
                    {"reduction", 0.083, 14400},
                    {"gather", 0.024, 3600},
                    {"random", 0.0031, 40}};
  run.memory = {{"CpuPlace{}", 4'718'592, 1'048'576, 61}, {"PinnedPlace{}", 65'536, 0, 2}};
  return run;
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 3) {
    std::cerr << "usage: digits_sample_report FILE digits|fashion|bare\n";
    return 2;
  }
  try {
    digits::write_report(arguments[1], sample(arguments[2]));
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
