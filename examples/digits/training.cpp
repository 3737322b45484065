// The training loop: batches in a new random order every epoch, a step each, a look at the test images after them.
#include "training.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "checksum.hpp"
#include "errors.hpp"
#include "output_file.hpp"
#include "text.hpp"

import tessera;
import digits.checkpoint;
import digits.network;
import digits.parallel;

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

/// Of several processes each takes another GPU of its host, from the one on that the options name.
Place place_of(const Options& options, const Group& world) {
  if (!options.gpu) return CpuPlace{};
  const int count = world.size() > 1 ? std::max(device_count(), 1) : *options.gpu + 1;
  return GpuPlace{(*options.gpu + world.local_rank()) % count};
}

template <class T>
class Trainer {
 public:
  Trainer(Run run, const Dataset& data)
      : run_(std::move(run)),
        rule_{run_.options.learning_rate, run_.options.momentum, run_.options.decay},
        key_{run_.options.seed},
        world_(Group::world()),
        place_(place_of(run_.options, world_)),
        train_(data.train_pixels, data.train_labels, data.classes, place_),
        test_(data.test_pixels, data.test_labels, data.classes, place_),
        network_(layers(run_), key_.fold(0), place_) {
    if (world_.size() > 1 || run_.options.shards != 0) parallel_.emplace(network_, world_, run_.options.shards);
    if (run_.options.async || run_.options.trace || parallel_) scheduler_.emplace();
    if (run_.options.save || run_.options.resume) data_checksum_ = hexadecimal(training_checksum(data));
    if (run_.options.load) Checkpoint(*run_.options.load).restore(network_, Restored::weights);
    if (run_.options.resume) resume(Checkpoint(*run_.options.resume));
    end_ = std::min(run_.options.epochs, run_.options.stop_after.value_or(run_.options.epochs));
  }

  Run train(Progress& progress) {
    progress.begin_after(run_.epochs_before);
    for (int epoch = run_.epochs_before; epoch < end_; ++epoch) {
      start_ = Clock::now();
      if (scheduler_) {
        train_epoch_async(epoch, progress);
      } else {
        train_epoch(epoch, progress);
      }
      Epoch result = so_far();
      so_far_ = {};
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
    const auto number = [&](const char* key, auto zero) {
      const std::string text = checkpoint.fact_or(key, "0");
      const auto found = number_from<decltype(zero)>(text);
      if (!found || !(*found >= zero))
        throw DataError(file + ": " + key + ": " + in_quotes(text) + " is not a number from 0");
      return *found;
    };
    so_far_ = {.images = number("images_done", std::int64_t{0}),
               .loss = number("loss_so_far", 0.0),
               .correct = number("correct_so_far", std::int64_t{0}),
               .seconds = number("seconds_so_far", 0.0)};
    if (so_far_.images > train_.count() || so_far_.images % run_.options.batch != 0)
      throw DataError(file + ": images_done: '" + std::to_string(so_far_.images) +
                      "' is not a number of whole steps up to " + std::to_string(train_.count()));
    checkpoint.restore(network_, Restored::run);
  }

  /// An epoch as far as it has come.
  struct SoFar {
    std::int64_t images = 0;  // learned from
    double loss = 0;          // sums over them
    std::int64_t correct = 0;
    double seconds = 0;  // of other processes, which it was resumed from

    void add(const BatchResult& batch, std::int64_t count) {
      images += count;
      loss += batch.loss * static_cast<double>(count);
      correct += batch.correct;
    }
  };
  using Clock = std::chrono::steady_clock;

  Epoch so_far() const {
    const auto count = static_cast<double>(so_far_.images);
    Epoch epoch;
    epoch.train_loss = so_far_.loss / count;
    epoch.train_accuracy = static_cast<double>(so_far_.correct) / count;
    epoch.seconds = so_far_.seconds + std::chrono::duration<double>(Clock::now() - start_).count();
    return epoch;
  }

  void note_step(const BatchResult& batch, std::int64_t count, Progress& progress) {
    so_far_.add(batch, count);
    run_.step_losses.push_back(static_cast<float>(batch.loss));
    const Epoch epoch = so_far();
    progress.update(so_far_.images, epoch.train_loss, epoch.train_accuracy);
  }

  bool is_saved_after(std::int64_t images) const {
    return run_.options.save_every && images < train_.count() &&
           images / run_.options.batch % *run_.options.save_every == 0;
  }

  /// One of the processes writes for all, which have the same.
  void save() {
    if (!run_.options.save || world_.rank() != 0) return;
    Settings facts = settings_of(run_.options);
    facts.emplace_back("dataset", run_.dataset);
    facts.emplace_back("training_data", data_checksum_);
    facts.emplace_back("epochs_done", std::to_string(epochs_done(run_)));
    if (so_far_.images != 0) {
      facts.emplace_back("images_done", std::to_string(so_far_.images));
      facts.emplace_back("loss_so_far", shortest(so_far_.loss));
      facts.emplace_back("correct_so_far", std::to_string(so_far_.correct));
      facts.emplace_back("seconds_so_far", shortest(so_far().seconds));
    }
    save_checkpoint(*run_.options.save, network_, facts);
  }

  /// Where a batch ends that begins at an image.
  std::int64_t end_of_batch(std::int64_t begin) const {
    return std::min<std::int64_t>(begin + run_.options.batch, train_.count());
  }
  std::size_t step_at(std::int64_t image) const { return static_cast<std::size_t>(image / run_.options.batch); }

  void train_epoch(int epoch, Progress& progress) {
    const auto order = random::permutation(key_.fold(1).fold(static_cast<std::uint64_t>(epoch)), train_.count());
    for (std::int64_t done = so_far_.images; done < train_.count();) {
      const std::int64_t end = end_of_batch(done);
      const std::size_t step = step_at(done);
      if (!place_.on_host() && is_traced(epoch, step)) streams_.emplace();
      rule_.learning_rate = learning_rate(epoch, done);
      note_step(train_batch(order(range(done, end))), end - done, progress);
      done = end;
      if (streams_ && (step == last_traced_step || done == train_.count())) draw_streams();
      if (is_saved_after(done)) save();
    }
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

  /// A step on a batch of `count` images, of which there are here those that this process learns from.
  Results submit_step(const BatchPlace& batch, std::int64_t count) {
    if (parallel_) {
      const Async on{*scheduler_};
      return parallel_->step(batch.images, batch.targets, batch.labels, count, rule_.learning_rate, rule_);
    }
    Results results = make_results(count);
    step_for(batch, results)
        .replay(batch.images, batch.targets, batch.labels, results.log_likelihood, results.correct,
                rule_.learning_rate);
    return results;
  }

  /// As train_epoch: the whole epoch is submitted, and results are read some steps later.
  void train_epoch_async(int epoch, Progress& progress) {
    constexpr std::size_t places = 3;
    const std::size_t steps_ahead = parallel_ ? 6 : 32;  // each has gradients of its own where they are added up
    const auto order = random::permutation(key_.fold(1).fold(static_cast<std::uint64_t>(epoch)), train_.count());
    std::deque<Results> pending;
    std::array<BatchPlace, places> batches;
    const auto read_until =
        [&](std::size_t left) {  // waits once for many: to sleep and to wake costs more than to submit a step
          if (pending.size() <= left) return;
          pending[pending.size() - left - 1].correct.wait();
          for (; pending.size() > left; pending.pop_front())
            note_step(pending.front().get(), static_cast<std::int64_t>(pending.front().count), progress);
        };
    for (std::int64_t done = so_far_.images; done < train_.count();) {
      const std::int64_t end = end_of_batch(done);
      const std::size_t step = step_at(done);
      if (is_traced(epoch, step)) begin_trace();
      rule_.learning_rate = learning_rate(epoch, done);
      BatchPlace& batch = batches[step % places];
      const Rows own = parallel_ ? parallel_->shards().own_rows(end - done) : Rows{0, end - done};
      make_room(batch, own.count());
      static_cast<void>(prepare(*scheduler_, batch, order(range(done + own.begin, done + own.end))));
      pending.push_back(submit_step(batch, end - done));
      if (is_traced(epoch, step)) ops_of_step_ = trace_->submitted();
      if (trace_ && step == last_traced_step) ops_of_steps_ = trace_->submitted();
      if (pending.size() > steps_ahead) read_until(steps_ahead / 2);
      if (trace_ && step == last_step_of_trace()) end_trace();
      done = end;
      if (is_saved_after(done)) {
        read_until(0);
        save();
      }
    }
    read_until(0);
    if (trace_) end_trace();
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

  /// The pictures are of four steps, what processes spend on each other is measured over more.
  std::size_t last_step_of_trace() const { return parallel_ ? std::size_t{33} : last_traced_step; }

  void begin_trace() {
    if (parallel_) world_.barrier();  // so that all begin at the same time
    trace_.emplace(*scheduler_);
    ops_of_steps_ = 0;
  }

  void end_trace() {
    scheduler_->wait_all();
    const std::vector<OpRecord> records = trace_->records();
    draw_trace(std::span(records).first(std::min(records.size(), ops_of_steps_ == 0 ? records.size() : ops_of_steps_)));
    if (world_.size() > 1) compare_processes(records);
    if (run_.options.trace) write_trace(records);
    trace_.reset();
  }

  void compare_processes(std::span<const OpRecord> records) {
    const CommunicationTime time = communication_time(records);
    std::int64_t begin = std::numeric_limits<std::int64_t>::max(), end = 0;
    for (const OpRecord& record : records) {
      begin = std::min(begin, record.queued);
      end = std::max(end, record.end);
    }
    const Array<double, 2> own{{static_cast<double>(end - begin) * 1e-9, time.seconds, time.overlapped}};
    const Array<double, 2> of_all = world_.all_gather(own);
    run_.processes.clear();
    for (std::ptrdiff_t rank = 0; rank < world_.size(); ++rank)
      run_.processes.push_back({of_all[{rank, 0}], of_all[{rank, 1}], of_all[{rank, 2}]});
  }

  void write_trace(std::span<const OpRecord> records) {
    std::ostringstream text;
    if (world_.size() > 1) {
      write_chrome_trace(text, world_, *trace_);
    } else {
      write_chrome_trace(text, records, trace_->streams());
    }
    if (world_.rank() == 0) write_file(*run_.options.trace, text.str());
  }

  /// Pictures of the steps that were traced.
  void draw_trace(std::span<const OpRecord> records) {
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
    traced_.clear();
    for (const auto& [name, time] : times) traced_.push_back(time);
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
    const BatchResult tested =
        parallel_ ? parallel_->look_at(test_.images, test_.targets, test_.labels) : look_at_all_tests();
    result.test_loss = tested.loss;
    result.test_accuracy = static_cast<double>(tested.correct) / static_cast<double>(test_.count());
  }

  BatchResult look_at_all_tests() {
    network_.forward(test_.images);
    return network_.loss(test_.targets, test_.labels);
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
  Group world_;
  Place place_;
  memory::PeakMap peak_{memory::pool(CpuPlace{})};
  Part<T> train_;
  Part<T> test_;
  Network<T> network_;
  std::string data_checksum_;  // where it is saved or compared
  int end_ = 0;                // epoch before which to leave
  WorkTimes times_;
  std::vector<OperationTime> traced_;
  SoFar so_far_;
  Clock::time_point start_;                   // of the epoch
  std::optional<ParallelSteps<T>> parallel_;  // with several processes, or shards
  std::optional<Scheduler> scheduler_;        // with --async, --trace, or those
  std::map<std::ptrdiff_t, RecordedStep> steps_;
  static constexpr std::size_t last_traced_step = 5;
  std::optional<Trace> trace_;
  std::optional<device::StreamTrace> streams_;  // on a GPU without --async
  std::size_t ops_of_step_ = 0, ops_of_steps_ = 0;
};

/// Processes of the group on this host.
std::int64_t processes_here(const Group& world) {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const std::uint64_t own = std::hash<std::string_view>{}(host.data());
  const Array<std::uint64_t, 1> hosts = world.all_gather(full<std::uint64_t>(Dim{1}, own));
  return std::count(hosts.begin(), hosts.end(), own);
}

/// Processes that may all run on any core of their host share its cores.
void share_cores(const Group& world) {
  const std::int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (world.size() == 1 || num_threads() < cores) return;
  set_num_threads(static_cast<int>(std::max<std::int64_t>(1, cores / processes_here(world))));
}

}  // namespace

Run train(const Options& options, const Dataset& data, Progress& progress) {
  if (options.threads) {
    set_num_threads(*options.threads);
  } else {
    share_cores(Group::world());
  }
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
