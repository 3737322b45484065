// Shows how far the training is.
#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include "text.hpp"

namespace digits {

namespace {

constexpr int narrowest_bar = 6;
constexpr int widest_bar = 40;
constexpr std::chrono::milliseconds between_draws{50};

/// Share of the whole training that is done, 0..1.
double share_done(const ProgressState& state) {
  const double epoch =
      static_cast<double>(state.images) / static_cast<double>(std::max<std::int64_t>(1, state.images_per_epoch));
  return std::clamp((state.epoch - 1 + epoch) / std::max(1, state.epochs), 0.0, 1.0);
}

/// A bar of `width` columns; in Unicode the last cell is filled by eighths.
std::string bar(double share, int width, bool unicode) {
  static constexpr const char* eighths[] = {" ", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
  const int steps = unicode ? 8 : 1;
  const int filled = static_cast<int>(std::lround(share * width * steps));
  std::string text;
  for (int cell = 0; cell < width; ++cell) {
    const int level = std::clamp(filled - cell * steps, 0, steps);
    text += unicode ? eighths[level] : (level == 1 ? "#" : ".");
  }
  return unicode ? "▕" + text + "▏" : "[" + text + "]";
}

std::string clock_time(double seconds) {
  if (!std::isfinite(seconds) || seconds > 359999) return "--:--";
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  const auto two_digits = [](std::int64_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
  const std::string rest = two_digits(whole / 60 % 60) + ":" + two_digits(whole % 60);
  return whole < 3600 ? rest : std::to_string(whole / 3600) + ":" + rest;
}

std::string figures(const ProgressState& state, double share) {
  const double here = share - static_cast<double>(state.epochs_before) / std::max(1, state.epochs);
  const double done = here * state.epochs * static_cast<double>(state.images_per_epoch);
  const double rate = state.seconds > 0 ? done / state.seconds : 0;
  const double remaining = here > 0 ? state.seconds * (1 - share) / here : INFINITY;
  return "loss " + fixed(state.loss, 4) + "  accuracy " + percent(state.accuracy, 1) + "  " +
         grouped(std::llround(rate)) + " images/s  ETA " + clock_time(remaining);
}

}  // namespace

std::string progress_line(const ProgressState& state, int columns, bool unicode) {
  const double share = share_done(state);
  const std::string head = "epoch " + std::to_string(state.epoch) + "/" + std::to_string(state.epochs) + " ";
  const std::string tail = " " + figures(state, share);
  // A character in the last column would make some terminals wrap.
  const int room = columns - 1 - static_cast<int>(head.size() + tail.size());
  const int width = std::min(room - 2, widest_bar);
  if (width >= narrowest_bar) return head + bar(share, width, unicode) + tail;
  return (head + tail.substr(1)).substr(0, static_cast<std::size_t>(std::max(0, columns - 1)));
}

std::string epoch_line(int number, int epochs, const Epoch& epoch, std::int64_t images) {
  const double rate = epoch.seconds > 0 ? static_cast<double>(images) / epoch.seconds : 0;
  return "epoch " + std::to_string(number) + "/" + std::to_string(epochs) + "  loss " + fixed(epoch.train_loss, 4) +
         "  accuracy " + percent(epoch.train_accuracy) + "  test loss " + fixed(epoch.test_loss, 4) +
         "  test accuracy " + percent(epoch.test_accuracy) + "  " + grouped(std::llround(rate)) + " images/s";
}

Progress::Progress(std::ostream& out, Terminal terminal, int epochs, std::int64_t images_per_epoch)
    : out_(out), terminal_(std::move(terminal)) {
  state_.epochs = epochs;
  state_.images_per_epoch = images_per_epoch;
}

Progress::~Progress() {
  if (!line_is_open_) return;
  out_ << '\n';
  out_.flush();
}

void Progress::begin_after(int epochs) {
  state_.epochs_before = epochs;
  state_.epoch = epochs + 1;
}

void Progress::update(std::int64_t images, double loss, double accuracy) {
  state_.images = images;
  state_.loss = loss;
  state_.accuracy = accuracy;
  if (!terminal_.interactive) return;
  const Clock::time_point now = Clock::now();
  if (now < next_draw_) return;
  next_draw_ = now + between_draws;
  draw();
}

void Progress::finish_epoch(const Epoch& epoch) {
  if (terminal_.interactive) {
    state_.images = state_.images_per_epoch;
    state_.loss = epoch.train_loss;
    state_.accuracy = epoch.train_accuracy;
    draw();
  } else {
    out_ << epoch_line(state_.epoch, state_.epochs, epoch, state_.images_per_epoch) << '\n';
    out_.flush();
  }
  ++state_.epoch;
  state_.images = 0;
}

void Progress::draw() {
  state_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
  // Return to the first column, then erase what a longer line left behind.
  out_ << '\r' << progress_line(state_, terminal_.columns(), terminal_.unicode) << "\x1b[K";
  out_.flush();
  line_is_open_ = true;
}

}  // namespace digits
