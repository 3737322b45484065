// The two data sets, put together from their readers.
#include "dataset.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <system_error>
#include <utility>

#include "checksum.hpp"
#include "digits_csv.hpp"
#include "embedded.hpp"
#include "errors.hpp"
#include "idx.hpp"
#include "split_mix.hpp"
#include "text.hpp"

namespace digits {

namespace {

constexpr int fashion_classes = 10;

void append(const DigitRows& all, std::span<const std::size_t> chosen, std::vector<float>& pixels,
            std::vector<std::int64_t>& labels) {
  pixels.reserve(chosen.size() * digit_pixels);
  labels.reserve(chosen.size());
  for (const std::size_t row : chosen) {
    const auto first = all.pixels.begin() + static_cast<std::ptrdiff_t>(row * digit_pixels);
    pixels.insert(pixels.end(), first, first + digit_pixels);
    labels.push_back(all.labels[row]);
  }
}

/// One part of Fashion-MNIST: `stem` is "train" or "t10k".
struct Part {
  IdxImages images;
  std::vector<std::uint8_t> labels;
};

Part read_part(const std::filesystem::path& directory, const std::string& stem) {
  const std::filesystem::path images = directory / (stem + "-images-idx3-ubyte.gz");
  const std::filesystem::path labels = directory / (stem + "-labels-idx1-ubyte.gz");
  Part part{read_idx_images(images), read_idx_labels(labels, fashion_classes)};
  if (part.images.count != static_cast<std::int64_t>(part.labels.size()))
    throw DataError(in_quotes(labels.string()) + " has " + std::to_string(part.labels.size()) + " labels, but " +
                    in_quotes(images.string()) + " has " + std::to_string(part.images.count) + " images");
  return part;
}

std::vector<float> scaled(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> result(bytes.size());
  std::ranges::transform(bytes, result.begin(), [](std::uint8_t byte) { return static_cast<float>(byte) / 255; });
  return result;
}

void require_fashion(const std::filesystem::path& directory) {
  for (const char* file : {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
                           "t10k-labels-idx1-ubyte.gz"}) {
    std::error_code ignored;  // what cannot be looked at is reported by the reader, with the system's reason
    if (std::filesystem::status(directory / file, ignored).type() == std::filesystem::file_type::not_found)
      throw DataError(in_quotes((directory / file).string()) +
                      " is not there; `apt install dataset-fashion-mnist` or `./dev demo --fashion` installs it");
  }
}

}  // namespace

Dataset load_digits(std::uint64_t seed) {
  const DigitRows all = read_digits(embedded_digits(), "embedded digits.csv.gz");
  const std::vector<std::size_t> order = shuffled_indices(all.labels.size(), seed);
  const std::size_t train_count = order.size() * 4 / 5;

  Dataset data;
  data.name = digits_name;
  data.rows = data.columns = 8;
  data.classes = 10;
  for (int digit = 0; digit < data.classes; ++digit) data.class_names.push_back(std::to_string(digit));
  append(all, std::span(order).first(train_count), data.train_pixels, data.train_labels);
  append(all, std::span(order).subspan(train_count), data.test_pixels, data.test_labels);
  return data;
}

Dataset load_fashion(const std::filesystem::path& directory) {
  require_fashion(directory);
  Dataset data;
  data.name = fashion_name;
  data.classes = fashion_classes;
  data.class_names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat",
                      "Sandal",      "Shirt",   "Sneaker",  "Bag",   "Ankle boot"};

  const Part train = read_part(directory, "train");
  const Part test = read_part(directory, "t10k");
  if (train.images.rows != test.images.rows || train.images.columns != test.images.columns)
    throw DataError(in_quotes(directory.string()) + ": training images are " + std::to_string(train.images.rows) + "x" +
                    std::to_string(train.images.columns) + " pixels, test images are " +
                    std::to_string(test.images.rows) + "x" + std::to_string(test.images.columns));
  data.rows = train.images.rows;
  data.columns = train.images.columns;
  data.train_pixels = scaled(train.images.pixels);
  data.test_pixels = scaled(test.images.pixels);
  data.train_labels.assign(train.labels.begin(), train.labels.end());
  data.test_labels.assign(test.labels.begin(), test.labels.end());
  return data;
}

std::uint64_t training_checksum(const Dataset& data) {
  Checksum checksum;
  checksum.add(std::as_bytes(std::span(data.train_pixels)));
  checksum.add(std::as_bytes(std::span(data.train_labels)));
  return checksum.value();
}

}  // namespace digits
