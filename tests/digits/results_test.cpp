// Tests of the figures of a run, its table and its JSON file.
#include "results.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "errors.hpp"
#include "messages.hpp"
#include "sample_run.hpp"
#include "temporary_folder.hpp"

using namespace digits;

TEST_CASE("figures follow from the facts of a run") {
  const Run run = sample_run();
  CHECK(layers(run) == std::vector<std::int64_t>{4, 5, 3});
  CHECK(parameter_count(run) == 5 * 5 + 6 * 3);
  CHECK(train_seconds(run) == doctest::Approx(0.6));
  CHECK(images_per_second(run) == doctest::Approx(4000));
  CHECK(peak_bytes(run) == 3 << 20);
  CHECK(last_epoch(run).test_accuracy == 0.9);
}

TEST_CASE("a run without epochs has figures too") {
  Run run = sample_run();
  run.epochs.clear();
  CHECK(images_per_second(run) == 0);
  CHECK(last_epoch(run).test_accuracy == 0);
}

TEST_CASE("a run takes its facts from options and data") {
  Dataset data;
  data.name = "shapes";
  data.rows = 2;
  data.columns = 3;
  data.class_names = {"a", "b"};
  data.train_labels = {0, 1, 1};
  data.test_labels = {1};
  Options options = default_options(false);
  CHECK(make_run(options, data).threads == make_run(options, data).machine.cores);
  options.threads = 3;
  const Run run = make_run(options, data);
  CHECK(run.threads == 3);
  CHECK(layers(run) == std::vector<std::int64_t>{6, 128, 2});
  CHECK(run.train_images == 3);
  CHECK(run.test_images == 1);
  CHECK(run.machine.cores >= 1);
  CHECK_FALSE(run.machine.processor.empty());
  CHECK_FALSE(run.machine.compiler.empty());
}

TEST_CASE("the JSON object holds the final figures") {
  CHECK(results_json(sample_run()) == R"({
  "dataset": "shapes",
  "accuracy": 0.9,
  "test_loss": 0.4,
  "train_accuracy": 0.95,
  "train_loss": 0.25,
  "train_seconds": 0.6,
  "images_per_second": 4000,
  "peak_bytes": 3145728,
  "processes": 1,
  "threads": 2,
  "seed": 7,
  "checksum": "0000000000abcdef",
  "dtype": "f32",
  "epochs": 2,
  "batch": 32,
  "layers": [4, 5, 3],
  "learning_rate": 0.05,
  "momentum": 0.9,
  "decay": 1e-04
}
)");
}

TEST_CASE("a run on several processes tells how many, and of each how long it communicated") {
  Run run = sample_run();
  run.processes = {{.seconds = 2, .communication = 0.5, .overlapped = 0.25}, {.seconds = 0}};
  check_contains(results_json(run), "\"processes\": 2,");
  const std::string table = results_table(run);
  check_contains(table, "4,000 images/s on 2 processes with 2 threads");
  check_contains(table, "\n  communication      rank 0: 25.0 % of the time, of which 50.0 % beside computing\n");
  check_contains(table, "\n                     rank 1: 0.0 % of the time, of which 0.0 % beside computing\n");
}

TEST_CASE("a run that was resumed tells of the epochs before") {
  Run run = sample_run();
  run.epochs_before = 3;
  run.options.save = "weights.safetensors";
  CHECK(epochs_done(run) == 5);
  check_contains(results_json(run), "\"epochs\": 5,");
  check_contains(results_table(run), "600 ms, 2 epochs after 3, 4,000 images/s on 2 threads");
  check_contains(results_table(run), "\n  saved in           weights.safetensors\n");
}

TEST_CASE("a run that only looked at the test images has their figures, and none of training") {
  Run run = sample_run();
  run.epochs.clear();
  run.start = {.train_loss = std::nan(""), .train_accuracy = std::nan(""), .test_loss = 0.5, .test_accuracy = 0.8};
  const std::string json = results_json(run);
  check_contains(json, "\"accuracy\": 0.8,");
  check_contains(json, "\"test_loss\": 0.5,");
  check_contains(json, "\"train_loss\": null,");
  check_contains(json, "\"epochs\": 0,");
  check_contains(results_table(run), "80.00 % (1 of 10 wrong)");
}

TEST_CASE("JSON stays valid with figures that are not finite and names that need escapes") {
  Run run = sample_run();
  run.dataset = "a\"b\\c\n";
  run.epochs.back().test_loss = std::nan("");
  run.epochs.back().train_loss = std::numeric_limits<double>::infinity();
  const std::string json = results_json(run);
  check_contains(json, R"("dataset": "a\"b\\c\u000a")");
  check_contains(json, "\"test_loss\": null");
  check_contains(json, "\"train_loss\": null");
}

TEST_CASE("the JSON file is written whole or not at all") {
  const TemporaryFolder folder;
  write_results(folder / "run.json", sample_run());
  CHECK(content_of(folder / "run.json") == results_json(sample_run()));
  const std::string message = message_of<OutputError>([&] { write_results(folder / "none/run.json", sample_run()); });
  check_contains(message, "none/run.json' cannot be written");
  CHECK(folder.entries() == 1);
}

TEST_CASE("the table shows what a reader asks for first") {
  CHECK(results_table(sample_run()) == R"(
  data               shapes, 1,200 images to train, 10 to test
  network            4-5-3, 43 parameters, f32
  test accuracy      90.00 % (1 of 10 wrong)
  test loss          0.4000
  training           600 ms, 2 epochs, 4,000 images/s on 2 threads
  peak memory        3.0 MiB on CpuPlace{}
  weights            0000000000abcdef (checksum, seed 7)

  operation                time   share       calls
  reduction              100 ms  25.0 %          30
  matrix product         300 ms  75.0 %       1,200
)");
}
