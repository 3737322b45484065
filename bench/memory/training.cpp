// Records a training's allocations: memory_training digits|fashion whole|steps TRACE. Steps of the digits example's network on batches of
// N, N-1 and N+1 images in turn. `whole` begins before the images are arrays, `steps` after that. Fashion-MNIST's network has images of
// the same size without content where the files are missing: allocations do not depend on pixels.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "dataset.hpp"
#include "errors.hpp"

import tessera;
import digits.network;

using namespace tessera;

namespace {

struct Task {
  digits::Dataset data;
  std::vector<std::int64_t> widths;
  std::ptrdiff_t batch;
};

/// 60,000 images of 28 x 28 with random labels.
digits::Dataset blank_fashion() {
  digits::Dataset data;
  data.name = "images of the size of Fashion-MNIST's";
  data.rows = data.columns = 28;
  data.classes = 10;
  data.train_pixels.resize(std::size_t{60'000} * 28 * 28);
  data.train_labels.resize(60'000);
  std::mt19937 random(1);
  for (std::int64_t& label : data.train_labels) label = static_cast<std::int64_t>(random() % 10);
  return data;
}

Task task_of(std::string_view name) {
  if (name == "digits") return {.data = digits::load_digits(), .widths = {64, 128, 10}, .batch = 32};
  try {
    return {.data = digits::load_fashion(), .widths = {784, 256, 10}, .batch = 64};
  } catch (const digits::DataError&) {
    return {.data = blank_fashion(), .widths = {784, 256, 10}, .batch = 64};
  }
}

/// The images and targets of a part of the data, as the example holds them.
struct Images {
  Array<std::int64_t, 1> labels;
  Array<float, 2> targets, pixels;

  explicit Images(const digits::Dataset& data)
      : labels(make_array(data.train_labels)), targets(digits::one_hot<float>(labels, data.classes)) {
    const std::ptrdiff_t features = std::ptrdiff_t{data.rows} * data.columns;
    const Array<float, 2> all_pixels = reshape(make_array(data.train_pixels), Dim{labels.size(), features});
    pixels = cast<float>(all_pixels);
  }
};

double train(const Images& images, const Task& task, random::Key key) {
  digits::Network<float> network(task.widths, key.fold(0));
  const auto order = random::permutation(key.fold(1), images.labels.size());
  digits::WorkTimes times;
  double loss = 0;
  std::ptrdiff_t done = 0;
  for (int step = 0; step < 24; ++step) {
    const std::ptrdiff_t sizes[] = {task.batch, task.batch - 1, task.batch + 1};
    const std::ptrdiff_t end = done + sizes[step % 3];
    const auto chosen = order(range(done, end));
    const Array<float, 2> batch = take(images.pixels, chosen), targets = take(images.targets, chosen);
    const Array<std::int64_t, 1> labels = take(images.labels, chosen);
    loss = network.step(batch, targets, labels, digits::StepRule{}, times).loss;
    done = end;
  }
  return loss;
}

void record(const Task& task, bool whole, const std::string& path) {
  if (whole) memory::start_trace(CpuPlace{}, path);
  double loss = 0;
  {
    const Images images(task.data);
    if (!whole) memory::start_trace(CpuPlace{}, path);
    loss = train(images, task, random::Key{1});
    if (!whole) memory::stop_trace(CpuPlace{});
  }
  if (whole) memory::stop_trace(CpuPlace{});
  std::printf("{\"data\": \"%s\", \"batch\": %td, \"loss\": %.6f}\n", task.data.name.c_str(), task.batch, loss);
}

}  // namespace

int main(int count, char** arguments) {
  const std::vector<std::string_view> given(arguments + 1, arguments + count);
  const bool known = given.size() == 3 && (given[0] == "digits" || given[0] == "fashion") &&
                     (given[1] == "whole" || given[1] == "steps");
  if (!known) return std::fprintf(stderr, "usage: memory_training digits|fashion whole|steps TRACE\n"), 2;
  try {
    record(task_of(given[0]), given[1] == "whole", std::string(given[2]));
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
