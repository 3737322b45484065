// Tests of the progress display and of what is known about terminals.
#include "progress.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>

#include "messages.hpp"
#include "terminal.hpp"

using namespace digits;

namespace {

const ProgressState halfway{
    .epoch = 2, .epochs = 3, .images = 500, .images_per_epoch = 1000, .loss = 0.25, .accuracy = 0.925, .seconds = 3};

/// Characters of a UTF-8 text, all of them one column wide.
int width_of(const std::string& text) {
  return static_cast<int>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

Terminal terminal(bool interactive) {
  Terminal result;
  result.interactive = interactive;
  return result;
}

}  // namespace

TEST_CASE("the line shows epoch, bar, loss, accuracy, speed and the time that is left") {
  CHECK(progress_line(halfway, 100, false) ==
        "epoch 2/3 [#################................] loss 0.2500  accuracy 92.5 %  500 images/s  ETA 00:03");
  check_contains(progress_line(halfway, 100, true), "▕████████████████▌                ▏");
}

TEST_CASE("the line never reaches the last column, whatever the width") {
  for (int columns = 0; columns < 300; ++columns) {
    for (const bool unicode : {false, true}) {
      INFO("columns ", columns);
      CHECK(width_of(progress_line(halfway, columns, unicode)) <= std::max(0, columns - 1));
    }
  }
}

TEST_CASE("a narrow terminal loses the bar before the figures") {
  const std::string line = progress_line(halfway, 70, true);
  CHECK(line == "epoch 2/3 loss 0.2500  accuracy 92.5 %  500 images/s  ETA 00:03");
  CHECK(progress_line(halfway, 20, true) == "epoch 2/3 loss 0.25");
}

TEST_CASE("the line survives a start without time and figures that are not finite") {
  ProgressState state;
  check_contains(progress_line(state, 100, false), "0 images/s  ETA --:--");
  state.loss = std::nan("");
  check_contains(progress_line(state, 100, false), "loss nan");
  state = halfway;
  state.images = 5000;  // more than an epoch has
  state.epoch = 3;
  check_contains(progress_line(state, 100, false), "ETA 00:00");
  state = halfway;
  state.seconds = 7200;
  check_contains(progress_line(state, 100, false), "ETA 2:00:00");
}

TEST_CASE("without a terminal there is one plain line an epoch") {
  std::ostringstream out;
  {
    Progress progress(out, terminal(false), 2, 1000);
    progress.update(500, 0.5, 0.5);
    CHECK(out.str().empty());
    progress.finish_epoch({0.5, 0.8, 0.6, 0.75, 2.0});
    progress.finish_epoch({0.25, 0.9, 0.5, 0.85, 0});
  }
  CHECK(out.str() ==
        "epoch 1/2  loss 0.5000  accuracy 80.00 %  test loss 0.6000  test accuracy 75.00 %  500 images/s\n"
        "epoch 2/2  loss 0.2500  accuracy 90.00 %  test loss 0.5000  test accuracy 85.00 %  0 images/s\n");
}

TEST_CASE("a run that is resumed counts on, and its speed and the time left are those of the epochs here") {
  std::ostringstream out;
  {
    Progress progress(out, terminal(false), 4, 1000);
    progress.begin_after(2);
    progress.finish_epoch({0.5, 0.75, 0.5, 0.7, 0.1});
    progress.finish_epoch({0.25, 0.9, 0.5, 0.85, 0.1});
  }
  check_contains(out.str(), "epoch 3/4  loss 0.5000");
  check_contains(out.str(), "epoch 4/4  loss 0.2500");
  ProgressState state{.epoch = 3, .epochs = 4, .epochs_before = 2, .images = 500, .images_per_epoch = 1000};
  state.seconds = 0.5;
  check_contains(progress_line(state, 120, true), "1,000 images/s  ETA 00:02");  // 1,500 images are left
}

TEST_CASE("on a terminal one line is written over and ended at the end") {
  std::ostringstream out;
  {
    Progress progress(out, terminal(true), 1, 1000);
    progress.update(100, 0.5, 0.5);
    for (int i = 0; i < 1000; ++i) progress.update(200, 0.5, 0.5);  // too soon to be drawn
    CHECK(std::ranges::count(out.str(), '\r') < 100);
    progress.finish_epoch({0.25, 0.9, 0.5, 0.85, 0.1});
    CHECK(out.str().find('\n') == std::string::npos);
    check_contains(out.str(), "accuracy 90.0 %");
  }
  CHECK(out.str().front() == '\r');
  CHECK(std::ranges::count(out.str(), '\n') == 1);
  CHECK(out.str().back() == '\n');
}

TEST_CASE("an exception in the training leaves the terminal at the start of a line") {
  std::ostringstream out;
  try {
    Progress progress(out, terminal(true), 1, 1000);
    progress.update(100, 0.5, 0.5);
    throw 1;
  } catch (int) {
  }
  CHECK(out.str().back() == '\n');
}

TEST_CASE("a display that was never used writes nothing") {
  std::ostringstream out;
  {
    Progress progress(out, terminal(true), 1, 1000);
  }
  CHECK(out.str().empty());
}

TEST_CASE("a file is no terminal, a terminal is one and tells its width") {
  const int file = ::open("/dev/null", O_WRONLY);
  CHECK_FALSE(terminal_of(file).interactive);
  CHECK(terminal_of(file).columns() == 80);
  ::close(file);

  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0) {
    MESSAGE("skipped: this system gives no pseudo terminal");
    return;
  }
  const int device = ::open(::ptsname(master), O_RDWR | O_NOCTTY);
  REQUIRE(device >= 0);
  const winsize size{24, 123, 0, 0};
  ::ioctl(device, TIOCSWINSZ, &size);
  ::setenv("TERM", "xterm", 1);
  ::setenv("LC_ALL", "en_GB.UTF-8", 1);
  CHECK(terminal_of(device).interactive);
  CHECK(terminal_of(device).unicode);
  CHECK(terminal_of(device).columns() == 123);
  ::setenv("LC_ALL", "C", 1);
  CHECK_FALSE(terminal_of(device).unicode);
  ::setenv("TERM", "dumb", 1);
  CHECK_FALSE(terminal_of(device).interactive);
  ::unsetenv("LC_ALL");
  ::close(device);
  ::close(master);
}
