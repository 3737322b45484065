// What one training run leaves behind: plain facts, from which the table, the JSON file and the report are made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dataset.hpp"
#include "machine.hpp"
#include "options.hpp"

namespace digits {

/// Averages over one pass of the training images, and over the test images after it.
struct Epoch {
  double train_loss = 0;
  double train_accuracy = 0;  ///< 0..1
  double test_loss = 0;
  double test_accuracy = 0;  ///< 0..1
  double seconds = 0;        ///< of training alone, without the pass over the test images
};

/// A test image that the trained network reads as something else.
struct Mistake {
  std::int64_t index = 0;     ///< among the test images
  std::vector<float> pixels;  ///< rows x columns, 0..1
  int truth = 0;
  int predicted = 0;
  double probability = 0;        ///< that the network gives to `predicted`
  double truth_probability = 0;  ///< that it gives to `truth`
};

/// Time spent in one kind of operation, such as matrix products.
struct OperationTime {
  std::string kind;
  double seconds = 0;
  std::int64_t calls = 0;
};

/// What one of several processes did in the steps that were traced.
struct ProcessTime {
  double seconds = 0;        ///< of all these steps
  double communication = 0;  ///< in which something was exchanged, or the other processes were waited for
  double overlapped = 0;     ///< of that, in which it also computed
};

/// Memory that one place handed out.
struct PlaceMemory {
  std::string place;
  std::int64_t peak_bytes = 0;
  std::int64_t used_bytes = 0;  ///< still in use at the end
  std::int64_t allocations = 0;
};

struct Run {
  Options options;
  std::string command;  ///< as it can be typed again
  int threads = 1;      ///< that were really used
  MachineFacts machine;

  std::string dataset;
  std::vector<std::string> class_names;
  int rows = 0;     ///< of an image
  int columns = 0;  ///< of an image
  std::int64_t train_images = 0;
  std::int64_t test_images = 0;

  int epochs_before = 0;                ///< that were done when the run was resumed
  std::vector<Epoch> epochs;            ///< since then
  Epoch start;                          ///< how the network did where nothing was left to train
  std::vector<float> step_losses;       ///< loss of every batch, in order
  std::vector<std::int64_t> confusion;  ///< classes x classes test images: row is the truth, column the prediction
  std::vector<Mistake> mistakes;        ///< all of them, in any order
  std::vector<OperationTime> operations;
  std::vector<ProcessTime> processes;  ///< by rank; empty where there is one
  std::vector<PlaceMemory> memory;
  std::string memory_map;  ///< SVG: the chunks of the CPU's memory when it held most; empty where nobody looked
  std::int64_t memory_map_bytes = 0;  ///< in use when that was drawn
  std::string
      timeline;        ///< SVG: who did what when, workers and streams of a GPU, over some steps; empty without either
  std::string graph;   ///< SVG: what waits for what in one step; empty without --async
  std::string gpu;     ///< its name as the driver reports it; empty on the CPU
  std::string kernel;  ///< CUDA text of one of the kernels that ran on the GPU; empty on the CPU
  std::string kernel_of;       ///< the line of the program that it computes
  std::uint64_t checksum = 0;  ///< of the final weights
};

/// A run with the facts of `data` and `options` filled in.
Run make_run(const Options& options, const Dataset& data);

/// Widths of all layers: pixels, hidden layers, classes.
std::vector<std::int64_t> layers(const Run& run);

/// Number of weights and biases.
std::int64_t parameter_count(const Run& run);

/// Facts of the last epoch, or of the start when there is none.
Epoch last_epoch(const Run& run);

/// Epochs that are done, those before the run was resumed included.
std::int64_t epochs_done(const Run& run);

/// Seconds of training over all epochs.
double train_seconds(const Run& run);

/// Training images a second over all epochs; 0 when no time has passed.
double images_per_second(const Run& run);

/// Sum of the peaks of all places.
std::int64_t peak_bytes(const Run& run);

}  // namespace digits
