// The images and labels that a run trains on and is judged by.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace digits {

/// Images as rows of numbers with their labels, split into a part to train on and a part to test on.
struct Dataset {
  std::string name;
  int rows = 0;     ///< height of an image in pixels
  int columns = 0;  ///< width of an image in pixels
  int classes = 0;
  std::vector<std::string> class_names;    ///< one per class
  std::vector<float> train_pixels;         ///< count x (rows * columns), scaled to 0..1
  std::vector<float> test_pixels;          ///< as train_pixels
  std::vector<std::int64_t> train_labels;  ///< 0 ... classes-1
  std::vector<std::int64_t> test_labels;
};

/// Names of the two data sets.
inline constexpr std::string_view digits_name = "digits";
inline constexpr std::string_view fashion_name = "Fashion-MNIST";

/// Where Debian's package dataset-fashion-mnist puts its files.
inline constexpr std::string_view default_fashion_directory = "/usr/share/datasets/fashion-mnist";

/// Seed of the split of the digits; not the seed of a run, so that runs with different seeds share their test images.
inline constexpr std::uint64_t split_seed = 1797;

/// The 1,797 digits inside the program, shuffled by `seed`, 80 % to train and 20 % to test.
Dataset load_digits(std::uint64_t seed = split_seed);

/// Fashion-MNIST from the four gzip-compressed IDX files in `directory`. Throws DataError if they are missing or wrong.
Dataset load_fashion(const std::filesystem::path& directory = default_fashion_directory);

/// A short name for the images and labels to train on, bit by bit.
std::uint64_t training_checksum(const Dataset& data);

}  // namespace digits
