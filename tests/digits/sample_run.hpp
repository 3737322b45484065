// A small run with known figures, for the tests of everything that is made of one.
#pragma once

#include "run.hpp"

/// Three classes of 2x2 images, two epochs, one image misread.
inline digits::Run sample_run() {
  digits::Run run;
  run.options = digits::default_options(false);
  run.options.widths = {5};
  run.options.seed = 7;
  run.command = "digits --seed 7";
  run.threads = 2;
  run.machine = {"A <fast> processor", 4, "Linux", "clang"};
  run.dataset = "shapes";
  run.class_names = {"0", "1", "2"};
  run.rows = run.columns = 2;
  run.train_images = 1200;
  run.test_images = 10;
  run.epochs = {{0.5, 0.8, 0.6, 0.7, 0.25}, {0.25, 0.95, 0.4, 0.9, 0.35}};
  run.step_losses = {1.0f, 0.5f, 0.25f, 0.2f};
  run.confusion = {4, 0, 0, 0, 3, 1, 0, 0, 2};
  run.mistakes = {{5, {0.0f, 1.0f, 0.5f, 0.0f}, 1, 2, 0.75, 0.2}};
  run.operations = {{"reduction", 0.1, 30}, {"matrix product", 0.3, 1200}};
  run.memory = {{"CpuPlace{}", 3 << 20, 1 << 20, 17}};
  run.checksum = 0xabcdef;
  return run;
}
