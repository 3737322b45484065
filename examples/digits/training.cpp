// The training loop: batches in a new random order every epoch, a step each, a look at the test images after them.
#include "training.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checksum.hpp"

import tessera;
import digits.network;

namespace digits {

using namespace tessera;

namespace {

/// Images, labels and one-hot targets of one part of the data, as arrays.
template <class T>
struct Part {
  Array<T, 2> images;
  Array<std::int64_t, 1> labels;
  Array<T, 2> targets;

  Part(const std::vector<float>& pixels, const std::vector<std::int64_t>& given, int classes)
      : labels(make_array(given)), targets(one_hot<T>(labels, classes)) {
    const auto count = static_cast<std::ptrdiff_t>(given.size());
    const auto features = static_cast<std::ptrdiff_t>(pixels.size()) / std::max<std::ptrdiff_t>(count, 1);
    const Array<float, 2> all_pixels = reshape(make_array(pixels), Dim{count, features});
    images = cast<T>(all_pixels);
  }

  std::int64_t count() const { return labels.size(); }
};

template <class T>
class Trainer {
 public:
  Trainer(Run run, const Dataset& data)
      : run_(std::move(run)),
        rule_{run_.options.learning_rate, run_.options.momentum, run_.options.decay},
        key_{run_.options.seed},
        train_(data.train_pixels, data.train_labels, data.classes),
        test_(data.test_pixels, data.test_labels, data.classes),
        network_(layers(run_), key_.fold(0)) {}

  Run train(Progress& progress) {
    for (int epoch = 0; epoch < run_.options.epochs; ++epoch) {
      Epoch result = train_epoch(epoch, progress);
      look_at_tests(result);
      run_.epochs.push_back(result);
      progress.finish_epoch(result);
    }
    finish();
    return run_;
  }

 private:
  Epoch train_epoch(int epoch, Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    const auto order = random::permutation(key_.fold(1).fold(static_cast<std::uint64_t>(epoch)), train_.count());
    double loss = 0;
    std::int64_t correct = 0;
    for (std::int64_t done = 0; done < train_.count();) {
      const std::int64_t end = std::min<std::int64_t>(done + run_.options.batch, train_.count());
      rule_.learning_rate = learning_rate(epoch, done);
      const BatchResult batch = train_batch(order(range(done, end)));
      run_.step_losses.push_back(static_cast<float>(batch.loss));
      loss += batch.loss * static_cast<double>(end - done);
      correct += batch.correct;
      done = end;
      progress.update(done, loss / static_cast<double>(done), static_cast<double>(correct) / static_cast<double>(done));
    }
    const auto count = static_cast<double>(train_.count());
    Epoch result;
    result.train_loss = loss / count;
    result.train_accuracy = static_cast<double>(correct) / count;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

  /// Falls linearly from the given rate to zero over the run.
  double learning_rate(int epoch, std::int64_t done) const {
    const double epochs_done = epoch + static_cast<double>(done) / static_cast<double>(train_.count());
    return run_.options.learning_rate * (1 - epochs_done / run_.options.epochs);
  }

  BatchResult train_batch(const Array<std::int64_t, 1>& chosen) {
    Array<T, 2> images;
    Array<T, 2> targets;
    Array<std::int64_t, 1> labels;
    {
      const Stopwatch watch(times_.batches);
      images = take(train_.images, chosen);
      targets = take(train_.targets, chosen);
      labels = take(train_.labels, chosen);
    }
    return network_.step(images, targets, labels, rule_, times_);
  }

  void look_at_tests(Epoch& result) {
    if (test_.count() == 0) return;
    network_.forward(test_.images);
    const BatchResult tested = network_.loss(test_.targets, test_.labels);
    result.test_loss = tested.loss;
    result.test_accuracy = static_cast<double>(tested.correct) / static_cast<double>(test_.count());
  }

  void finish() {
    const auto classes = static_cast<std::ptrdiff_t>(run_.class_names.size());
    run_.confusion.assign(static_cast<std::size_t>(classes * classes), 0);
    const Array<float, 2> probability = cast<float>(probabilities_of_tests());
    const Array<std::int64_t, 1> predicted = argmax<1>(probability);
    for (std::ptrdiff_t i = 0; i < test_.count(); ++i) note_prediction(i, probability, predicted[{i}]);
    run_.operations = {{"forward pass", times_.forward.seconds, times_.forward.calls},
                       {"loss and gradient", times_.loss.seconds, times_.loss.calls},
                       {"hidden gradients", times_.backward.seconds, times_.backward.calls},
                       {"weight gradients, update", times_.update.seconds, times_.update.calls},
                       {"gathering batches", times_.batches.seconds, times_.batches.calls}};
    const memory::Stats cpu = memory::stats(CpuPlace{});
    run_.memory = {{"cpu", cpu.peak, cpu.in_use, cpu.allocations}};
    Checksum checksum;
    for (std::size_t layer = 0; layer < network_.depth(); ++layer) {
      add_bytes(checksum, network_.weights(layer));
      add_bytes(checksum, network_.biases(layer));
    }
    run_.checksum = checksum.value();
  }

  auto probabilities_of_tests() {
    network_.forward(test_.images);
    return network_.probabilities();
  }

  void note_prediction(std::ptrdiff_t image, const Array<float, 2>& probability, std::int64_t predicted) {
    const std::int64_t truth = test_.labels[{image}];
    const auto classes = static_cast<std::int64_t>(run_.class_names.size());
    ++run_.confusion[static_cast<std::size_t>(truth * classes + predicted)];
    if (truth == predicted) return;
    Mistake mistake;
    mistake.index = image;
    const Array<float, 1> pixels = cast<float>(test_.images(image, all));
    mistake.pixels.assign(pixels.begin(), pixels.end());
    mistake.truth = static_cast<int>(truth);
    mistake.predicted = static_cast<int>(predicted);
    mistake.probability = probability[{image, predicted}];
    mistake.truth_probability = probability[{image, truth}];
    run_.mistakes.push_back(std::move(mistake));
  }

  template <class A>
  static void add_bytes(Checksum& checksum, const A& array) {
    checksum.add(std::as_bytes(std::span(array.data(), static_cast<std::size_t>(array.size()))));
  }

  Run run_;
  StepRule rule_;
  random::Key key_;
  Part<T> train_;
  Part<T> test_;
  Network<T> network_;
  WorkTimes times_;
};

}  // namespace

Run train(const Options& options, const Dataset& data, Progress& progress) {
  if (options.threads) set_num_threads(*options.threads);
  Run run = make_run(options, data);
  run.threads = num_threads();
  switch (options.dtype) {
    case Precision::f64: return Trainer<double>(run, data).train(progress);
    case Precision::bf16: return Trainer<bfloat16>(run, data).train(progress);
    case Precision::f32: break;
  }
  return Trainer<float>(run, data).train(progress);
}

}  // namespace digits
