// Shows how far the training is: one line that is written over on a terminal, a line an epoch everywhere else.
#pragma once

#include <chrono>
#include <cstdint>
#include <ostream>
#include <string>

#include "run.hpp"
#include "terminal.hpp"

namespace digits {

/// How far the training is, and how well it does.
struct ProgressState {
  int epoch = 1;  ///< that is running, from 1
  int epochs = 1;
  int epochs_before = 0;    ///< that another process had done
  std::int64_t images = 0;  ///< of this epoch that are done
  std::int64_t images_per_epoch = 1;
  double loss = 0;
  double accuracy = 0;  ///< 0..1
  double seconds = 0;   ///< since the training began
};

/// The line of a terminal for a state, no wider than `columns`; the bar gives way first, then the end of the line.
std::string progress_line(const ProgressState& state, int columns, bool unicode);

/// The plain line for an epoch that is over.
std::string epoch_line(int number, int epochs, const Epoch& epoch, std::int64_t images);

/// Shows the progress of one training on a stream that is, or is not, a terminal.
class Progress {
 public:
  using Clock = std::chrono::steady_clock;

  Progress(std::ostream& out, Terminal terminal, int epochs, std::int64_t images_per_epoch);

  /// Ends the line that is being written over, also when the training ends with an exception.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// So many epochs are done already.
  void begin_after(int epochs);

  /// `images` of the running epoch are done; loss and accuracy are averages over them. Cheap: draws 20 times a second.
  void update(std::int64_t images, double loss, double accuracy);

  /// The running epoch is over, and the test images have been looked at.
  void finish_epoch(const Epoch& epoch);

 private:
  void draw();

  std::ostream& out_;
  Terminal terminal_;
  ProgressState state_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_draw_ = start_;
  bool line_is_open_ = false;
};

}  // namespace digits
