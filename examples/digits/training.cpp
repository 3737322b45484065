// The training loop: batches in a new random order every epoch, a step each, a look at the test images after them.
#include "training.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "checksum.hpp"
#include "errors.hpp"
#include "text.hpp"

import tessera;
import digits.checkpoint;
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

  Part(const std::vector<float>& pixels, const std::vector<std::int64_t>& given, int classes, Place place)
      : labels(make_array(given).to(place)), targets(one_hot<T>(make_array(given), classes).to(place)) {
    const auto count = static_cast<std::ptrdiff_t>(given.size());
    const auto features = static_cast<std::ptrdiff_t>(pixels.size()) / std::max<std::ptrdiff_t>(count, 1);
    const Array<float, 2> all_pixels = reshape(make_array(pixels), Dim{count, features});
    images = Array<T, 2>(cast<T>(all_pixels)).to(place);
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
        place_(run_.options.gpu ? Place(GpuPlace{*run_.options.gpu}) : Place(CpuPlace{})),
        train_(data.train_pixels, data.train_labels, data.classes, place_),
        test_(data.test_pixels, data.test_labels, data.classes, place_),
        network_(layers(run_), key_.fold(0), place_) {
    if (run_.options.async) scheduler_.emplace();
    if (run_.options.save || run_.options.resume) data_checksum_ = hexadecimal(training_checksum(data));
    if (run_.options.load) Checkpoint(*run_.options.load).restore(network_, Restored::weights);
    if (run_.options.resume) resume(Checkpoint(*run_.options.resume));
    end_ = std::min(run_.options.epochs, run_.options.stop_after.value_or(run_.options.epochs));
  }

  Run train(Progress& progress) {
    progress.begin_after(run_.epochs_before);
    for (int epoch = run_.epochs_before; epoch < end_; ++epoch) {
      Epoch result = scheduler_ ? train_epoch_async(epoch, progress) : train_epoch(epoch, progress);
      look_at_tests(result);
      run_.epochs.push_back(result);
      save();
      progress.finish_epoch(result);
    }
    if (run_.epochs.empty()) {
      run_.start.train_loss = run_.start.train_accuracy = std::numeric_limits<double>::quiet_NaN();
      look_at_tests(run_.start);
      save();
    }
    finish();
    return run_;
  }

 private:
  /// Goes on where the file's run was. The order of the images follows from seed and epoch, so that nothing else has to be kept.
  void resume(const Checkpoint& checkpoint) {
    const std::string file = in_quotes(run_.options.resume->string());
    if (const std::string& data = checkpoint.fact("training_data"); data != data_checksum_)
      throw DataError(file + ": its run was on images with the checksum " + in_quotes(data) + "; those of " +
                      in_quotes(run_.dataset) + " have '" + data_checksum_ + "'");
    const std::string& done = checkpoint.fact("epochs_done");
    run_.epochs_before = number_from<int>(done).value_or(-1);
    if (run_.epochs_before < 0 || run_.epochs_before > run_.options.epochs)
      throw DataError(file + ": epochs_done: " + in_quotes(done) + " is not a whole number from 0 to " +
                      std::to_string(run_.options.epochs));
    checkpoint.restore(network_, Restored::run);
  }

  void save() {
    if (!run_.options.save) return;
    Settings facts = settings_of(run_.options);
    facts.emplace_back("dataset", run_.dataset);
    facts.emplace_back("training_data", data_checksum_);
    facts.emplace_back("epochs_done", std::to_string(epochs_done(run_)));
    save_checkpoint(*run_.options.save, network_, facts);
  }

  Epoch train_epoch(int epoch, Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    const auto order = random::permutation(key_.fold(1).fold(static_cast<std::uint64_t>(epoch)), train_.count());
    double loss = 0;
    std::int64_t correct = 0;
    std::size_t step = 0;
    for (std::int64_t done = 0; done < train_.count(); ++step) {
      const std::int64_t end = std::min<std::int64_t>(done + run_.options.batch, train_.count());
      if (!place_.on_host() && is_traced(epoch, step)) streams_.emplace();
      rule_.learning_rate = learning_rate(epoch, done);
      const BatchResult batch = train_batch(order(range(done, end)));
      run_.step_losses.push_back(static_cast<float>(batch.loss));
      loss += batch.loss * static_cast<double>(end - done);
      correct += batch.correct;
      done = end;
      if (streams_ && (step == last_traced_step || done == train_.count())) draw_streams();
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

  /// A place for a batch; some are filled ahead while others are learned from.
  struct BatchPlace {
    Array<T, 2> images, targets;
    Array<std::int64_t, 1> labels;
  };

  using Results = PendingResult<compute_t<T>>;

  Results make_results(std::int64_t count) const {
    return {.log_likelihood = Array<compute_t<T>, 0>(Dim{}, place_),
            .correct = Array<std::int64_t, 0>(Dim{}, place_),
            .count = static_cast<double>(count)};
  }

  // --8<-- [start:prepare]
  /// Fills a batch as soon as the step before has read it. A coroutine: its access() names everything at once.
  Op prepare(Scheduler&, BatchPlace batch, Array<std::int64_t, 1> chosen) {
    co_await access(reads(chosen.var()), writes(batch.images.var(), batch.targets.var(), batch.labels.var()),
                    {.name = "prepare batch"});
    take_into(batch.images, train_.images, chosen);
    take_into(batch.targets, train_.targets, chosen);
    take_into(batch.labels, train_.labels, chosen);
  }
  // --8<-- [end:prepare]

  using RecordedStep =
      Step<Array<T, 2>, Array<T, 2>, Array<std::int64_t, 1>, Array<compute_t<T>, 0>, Array<std::int64_t, 0>, double>;

  // --8<-- [start:record]
  /// A step on a batch of this size, recorded when the first one comes: its arrays and the learning rate are what each replay gives.
  const RecordedStep& step_for(const BatchPlace& batch, const Results& results) {
    const auto known = steps_.find(batch.labels.size());
    if (known != steps_.end()) return known->second;
    const auto body = [this](Parameter<Array<T, 2>> images, Parameter<Array<T, 2>> targets,
                             Parameter<Array<std::int64_t, 1>> labels, Parameter<Array<compute_t<T>, 0>> log_likelihood,
                             Parameter<Array<std::int64_t, 0>> correct, Parameter<double> rate) {
      const Async on{*scheduler_};
      network_.step_later(log_likelihood, correct, images, targets, labels, rate, rule_);
    };
    RecordedStep step =
        scheduler_->capture(body, batch.images, batch.targets, batch.labels, results.log_likelihood, results.correct);
    return steps_.emplace(batch.labels.size(), std::move(step)).first->second;
  }
  // --8<-- [end:record]

  /// As train_epoch: the whole epoch is submitted, and results are read some steps later.
  Epoch train_epoch_async(int epoch, Progress& progress) {
    constexpr std::size_t places = 3, steps_ahead = 32;
    const auto start = std::chrono::steady_clock::now();
    const auto order = random::permutation(key_.fold(1).fold(static_cast<std::uint64_t>(epoch)), train_.count());
    std::deque<Results> pending;
    std::array<BatchPlace, places> batches;
    Epoch result;
    double loss = 0;
    std::int64_t correct = 0, read = 0;
    const auto read_one = [&] {
      const BatchResult batch = pending.front().get();
      run_.step_losses.push_back(static_cast<float>(batch.loss));
      loss += batch.loss * pending.front().count;
      correct += batch.correct;
      read += static_cast<std::int64_t>(pending.front().count);
      pending.pop_front();
      progress.update(read, loss / static_cast<double>(read), static_cast<double>(correct) / static_cast<double>(read));
    };
    std::size_t step = 0;
    for (std::int64_t done = 0; done < train_.count(); ++step) {
      const std::int64_t end = std::min<std::int64_t>(done + run_.options.batch, train_.count());
      if (is_traced(epoch, step)) trace_.emplace(*scheduler_);
      rule_.learning_rate = learning_rate(epoch, done);
      BatchPlace& batch = batches[step % places];
      make_room(batch, end - done);
      static_cast<void>(prepare(*scheduler_, batch, order(range(done, end))));
      Results& results = pending.emplace_back(make_results(end - done));
      step_for(batch, results)
          .replay(batch.images, batch.targets, batch.labels, results.log_likelihood, results.correct,
                  rule_.learning_rate);
      if (is_traced(epoch, step)) ops_of_step_ = trace_->submitted();
      if (pending.size() > steps_ahead) {  // waits once for many: to sleep and to wake costs more than to submit a step
        pending[steps_ahead / 2].correct.wait();
        while (pending.size() > steps_ahead / 2) read_one();
      }
      if (trace_ && step == last_traced_step) draw_trace();
      done = end;
    }
    pending.back().correct.wait();
    while (!pending.empty()) read_one();
    if (trace_) draw_trace();
    auto count = static_cast<double>(train_.count());
    result.train_loss = loss / count;
    result.train_accuracy = static_cast<double>(correct) / count;
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
  }

  /// Arrays of `count` images; the ones that a pending step reads stay alive until it has done so.
  void make_room(BatchPlace& batch, std::int64_t count) {
    if (batch.labels.has_storage() && batch.labels.shape()[0] == count) return;
    batch = {.images = Array<T, 2>(train_.images.shape().with(0, count), place_),
             .targets = Array<T, 2>(train_.targets.shape().with(0, count), place_),
             .labels = Array<std::int64_t, 1>(Dim{count}, place_)};
  }

  /// A trace begins at the third step of the second epoch here, when everything has its memory, or as late as there is.
  bool is_traced(int epoch, std::size_t step) const {
    const auto batch = static_cast<std::int64_t>(run_.options.batch);
    const auto steps = static_cast<std::size_t>((train_.count() + batch - 1) / batch);
    return epoch == std::min(run_.epochs_before + 1, end_ - 1) && step == std::min<std::size_t>(2, steps - 1);
  }

  /// What the GPU did in the steps that were traced.
  void draw_streams() {
    const std::vector<device::StreamRecord> records = streams_->records();
    run_.timeline = timeline_svg({}, {.title = "Some steps of training on the GPU", .streams = records});
    streams_.reset();
  }

  /// Pictures of the steps that were traced.
  void draw_trace() {
    scheduler_->wait_all();
    const std::vector<OpRecord> records = trace_->records();
    const std::span<const OpRecord> first(records.data(), std::min<std::size_t>(ops_of_step_, records.size()));
    const std::vector<device::StreamRecord> streams = trace_->streams();
    run_.timeline = timeline_svg(
        records, {.title = "Four steps of training", .workers = scheduler_->workers(), .streams = streams});
    run_.graph = DependencyGraph(first).to_svg({.title = "One step of training"});
    std::map<std::string, OperationTime> times;
    for (const OpRecord& record : records) {
      OperationTime& time = times[record.name];
      time.kind = record.name;
      time.seconds += static_cast<double>(record.end - record.start) * 1e-9;
      ++time.calls;
    }
    for (const auto& [name, time] : times) traced_.push_back(time);
    trace_.reset();
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
    const Array<float, 2> probability = Array<float, 2>(cast<float>(probabilities_of_tests())).to(Place(CpuPlace{}));
    const Array<std::int64_t, 1> predicted = argmax<1>(probability);
    for (std::ptrdiff_t i = 0; i < test_.count(); ++i) note_prediction(i, probability, predicted[{i}]);
    run_.operations = {{"forward pass", times_.forward.seconds, times_.forward.calls},
                       {"loss and gradient", times_.loss.seconds, times_.loss.calls},
                       {"hidden gradients", times_.backward.seconds, times_.backward.calls},
                       {"weight gradients, update", times_.update.seconds, times_.update.calls},
                       {"gathering batches", times_.batches.seconds, times_.batches.calls}};
    if (scheduler_) run_.operations = traced_;
    const memory::Stats cpu = memory::stats(CpuPlace{});
    run_.memory = {{"cpu", cpu.peak, cpu.in_use, cpu.allocations}};
    if (!place_.on_host()) {
      const memory::Stats gpu = memory::stats(place_);
      run_.memory.push_back({to_string(place_), gpu.peak, gpu.in_use, gpu.allocations});
      run_.gpu = devices()[static_cast<std::size_t>(place_.ordinal())].name;
      run_.kernel = network_.update_kernel(0);
      run_.kernel_of = "w += w_velocity";
    }
    peak_.end();
    if (peak_.map()) run_.memory_map = peak_.map()->svg();
    run_.memory_map_bytes = peak_.in_use();
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
    const Array<float, 1> pixels = Array<float, 1>(cast<float>(test_.images(image, all))).to(Place(CpuPlace{}));
    mistake.pixels.assign(pixels.begin(), pixels.end());
    mistake.truth = static_cast<int>(truth);
    mistake.predicted = static_cast<int>(predicted);
    mistake.probability = probability[{image, predicted}];
    mistake.truth_probability = probability[{image, truth}];
    run_.mistakes.push_back(std::move(mistake));
  }

  template <class A>
  static void add_bytes(Checksum& checksum, const A& on_place) {
    const auto array = on_place.to(Place(CpuPlace{}));
    checksum.add(std::as_bytes(std::span(array.data(), static_cast<std::size_t>(array.size()))));
  }

  Run run_;
  StepRule rule_;
  random::Key key_;
  Place place_;
  memory::PeakMap peak_{memory::pool(CpuPlace{})};
  Part<T> train_;
  Part<T> test_;
  Network<T> network_;
  std::string data_checksum_;  // where it is saved or compared
  int end_ = 0;                // epoch before which to leave
  WorkTimes times_;
  std::vector<OperationTime> traced_;
  std::optional<Scheduler> scheduler_;  // with --async
  std::map<std::ptrdiff_t, RecordedStep> steps_;
  static constexpr std::size_t last_traced_step = 5;
  std::optional<Trace> trace_;
  std::optional<device::StreamTrace> streams_;  // on a GPU without --async
  std::size_t ops_of_step_ = 0;
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
