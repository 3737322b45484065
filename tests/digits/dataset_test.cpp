// Tests of the data sets: the digits inside the program, and Fashion-MNIST from files.
#include "dataset.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "checksum.hpp"
#include "digits_csv.hpp"
#include "errors.hpp"
#include "gzip_bytes.hpp"
#include "messages.hpp"
#include "split_mix.hpp"
#include "temporary_folder.hpp"

using namespace digits;

namespace {

std::vector<std::int64_t> class_counts(const std::vector<std::int64_t>& labels) {
  std::vector<std::int64_t> counts(10);
  for (const std::int64_t label : labels) ++counts.at(static_cast<std::size_t>(label));
  return counts;
}

std::uint64_t checksum(const std::vector<std::int64_t>& labels) {
  Checksum sum;
  sum.add(std::as_bytes(std::span(labels)));
  return sum.value();
}

/// A line of 64 pixels and a label.
std::string csv_line(const std::string& pixel = "16", const std::string& label = "9") {
  std::string line;
  for (int i = 0; i < 64; ++i) line += pixel + ",";
  return line + label + "\n";
}

std::string csv_complaint(const std::string& text) {
  return message_of<DataError>([&] { parse_digits(text, "digits"); });
}

/// The four files of a tiny Fashion-MNIST: 20 images to train, 10 to test.
void put_fashion(const TemporaryFolder& folder) {
  put(folder / "train-images-idx3-ubyte.gz", gzip(idx_images(20, 4, 3)));
  put(folder / "train-labels-idx1-ubyte.gz", gzip(idx_labels(20)));
  put(folder / "t10k-images-idx3-ubyte.gz", gzip(idx_images(10, 4, 3)));
  put(folder / "t10k-labels-idx1-ubyte.gz", gzip(idx_labels(10)));
}

std::string fashion_complaint(const TemporaryFolder& folder) {
  return message_of<DataError>([&] { load_fashion(folder.path()); });
}

}  // namespace

TEST_CASE("SplitMix64 gives the published numbers") {
  SplitMix64 random(1234567);
  for (const std::uint64_t expected : {6457827717110365317u, 3203168211198807973u, 9817491932198370423u})
    CHECK(random() == expected);
}

TEST_CASE("numbers below a bound are below it, and all of them occur") {
  SplitMix64 random(1);
  std::array<int, 7> counts{};
  for (int i = 0; i < 7000; ++i) ++counts.at(random.below(7));
  for (const int count : counts) CHECK((count > 850 && count < 1150));
  CHECK(random.below(1) == 0);
}

TEST_CASE("shuffled indices are a permutation that depends on the seed alone") {
  std::vector<std::size_t> order = shuffled_indices(1000, 5);
  CHECK(order == shuffled_indices(1000, 5));
  CHECK(order != shuffled_indices(1000, 6));
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(order[i] == i);
  CHECK(shuffled_indices(0, 1).empty());
}

TEST_CASE("the embedded digits are complete and split 80 to 20") {
  const Dataset data = load_digits();
  CHECK(data.rows == 8);
  CHECK(data.columns == 8);
  CHECK(data.classes == 10);
  CHECK(data.class_names == std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"});
  CHECK(data.train_labels.size() == 1437);
  CHECK(data.test_labels.size() == 360);
  CHECK(data.train_pixels.size() == 1437 * 64);
  CHECK(data.test_pixels.size() == 360 * 64);

  // How often each digit occurs is known from the publication of the data.
  std::vector<std::int64_t> all = data.train_labels;
  all.insert(all.end(), data.test_labels.begin(), data.test_labels.end());
  CHECK(class_counts(all) == std::vector<std::int64_t>{178, 182, 177, 183, 181, 182, 181, 179, 174, 180});

  for (const std::vector<float>* pixels : {&data.train_pixels, &data.test_pixels}) {
    const auto [low, high] = std::ranges::minmax(*pixels);
    CHECK(low == 0.0f);
    CHECK(high == 1.0f);
  }
}

TEST_CASE("the split is the same on every machine, and another one for another seed") {
  // Computed once by another program, in Python.
  CHECK(checksum(load_digits().test_labels) == 0x2e5672c747d7d406);
  CHECK(load_digits(1).test_labels != load_digits(2).test_labels);
}

TEST_CASE("the checksum tells other images, labels and orders apart, and does not look at test images") {
  const Dataset data = load_digits();
  CHECK(training_checksum(data) == training_checksum(load_digits()));
  CHECK(training_checksum(data) != training_checksum(load_digits(1)));
  Dataset changed = data;
  changed.test_pixels[0] += 1;
  CHECK(training_checksum(data) == training_checksum(changed));
  changed.train_pixels.back() += 1;
  CHECK(training_checksum(data) != training_checksum(changed));
  changed = data;
  changed.train_labels[0] ^= 1;
  CHECK(training_checksum(data) != training_checksum(changed));
}

TEST_CASE("a digit keeps its label through the shuffle") {
  std::map<std::vector<float>, std::int64_t> expected;
  const auto note = [&](const std::vector<float>& pixels, const std::vector<std::int64_t>& labels, bool check) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto first = pixels.begin() + static_cast<std::ptrdiff_t>(i * 64);
      const std::vector<float> image(first, first + 64);
      if (check) CHECK(expected.at(image) == labels[i]);
      expected[image] = labels[i];
    }
  };
  const Dataset one = load_digits(1);
  note(one.train_pixels, one.train_labels, false);
  note(one.test_pixels, one.test_labels, false);
  const Dataset two = load_digits(2);
  note(two.train_pixels, two.train_labels, true);
  note(two.test_pixels, two.test_labels, true);
}

TEST_CASE("lines of digits are scaled to 0..1") {
  const DigitRows rows = parse_digits(csv_line("16", "9") + csv_line("4", "0"), "digits");
  CHECK(rows.labels == std::vector<std::int64_t>{9, 0});
  CHECK(rows.pixels.size() == 128);
  CHECK(rows.pixels.front() == 1.0f);
  CHECK(rows.pixels.back() == 0.25f);
}

TEST_CASE("a wrong line of digits is refused with its place and value") {
  CHECK(csv_complaint("") == "digits holds no digits");
  CHECK(csv_complaint(csv_line() + csv_line("17")) ==
        "digits, line 2, column 1: '17' is not a whole number from 0 to 16");
  CHECK(csv_complaint(csv_line("16", "10")) == "digits, line 1, column 65: '10' is not a whole number from 0 to 9");
  CHECK(csv_complaint(csv_line("-1")) == "digits, line 1, column 1: '-1' is not a whole number from 0 to 16");
  CHECK(csv_complaint(csv_line("1.5")) == "digits, line 1, column 1: '1.5' is not a whole number from 0 to 16");
  CHECK(csv_complaint(csv_line(" 1")) == "digits, line 1, column 1: ' 1' is not a whole number from 0 to 16");
  CHECK(csv_complaint(csv_line("")) == "digits, line 1, column 1: '' is not a whole number from 0 to 16");
  CHECK(csv_complaint(csv_line("1", "9\r")) == "digits, line 1, column 65: '9\\x0d' is not a whole number from 0 to 9");
  check_contains(csv_complaint("1,2\n"), "digits, line 1, column 2: expected a comma after this value");
  check_contains(csv_complaint(csv_line("1", "2,3")), "digits, line 1, column 65: expected the end of the line");
  const std::string whole = csv_line();
  check_contains(csv_complaint(whole.substr(0, whole.size() - 1)), "column 65: expected the end of the line");
  check_contains(csv_complaint(whole + "\n"), "digits, line 2, column 1: ''");
}

TEST_CASE("damaged compressed digits are refused") {
  const std::string good = gzip(csv_line());
  CHECK(read_digits(good, "digits").labels.size() == 1);
  CHECK(read_digits(good + good, "digits").labels.size() == 2);  // gzip allows members one after the other
  const auto complaint = [](const std::string& bytes) {
    return message_of<DataError>([&] { read_digits(bytes, "digits"); });
  };
  check_contains(complaint(""), "digits is cut short");
  check_contains(complaint(good.substr(0, good.size() - 1)), "digits is cut short");
  check_contains(complaint(csv_line()), "digits is not a gzip file or is damaged");
  check_contains(complaint(good + "x"), "digits: other bytes follow the gzip stream");
  std::string flipped = good;
  flipped[good.size() - 6] = static_cast<char>(flipped[good.size() - 6] ^ 1);  // in the checksum
  check_contains(complaint(flipped), "incorrect data check");
  check_contains(complaint(gzip(std::string(17 << 20, '\n'))), "digits holds more than 16.0 MiB of text");
}

TEST_CASE("Fashion-MNIST is read from its four files") {
  const TemporaryFolder folder;
  put_fashion(folder);
  const Dataset data = load_fashion(folder.path());
  CHECK(data.name == "Fashion-MNIST");
  CHECK(data.rows == 4);
  CHECK(data.columns == 3);
  CHECK(data.classes == 10);
  CHECK(data.class_names.size() == 10);
  CHECK(data.class_names[9] == "Ankle boot");
  CHECK(data.train_labels.size() == 20);
  CHECK(data.test_labels.size() == 10);
  CHECK(data.train_labels[13] == 3);
  CHECK(data.train_pixels.size() == 240);
  CHECK(data.test_pixels.size() == 120);
  CHECK(data.train_pixels[51] == 0.2f);
  CHECK(data.train_pixels[239] == 239.0f / 255);
}

TEST_CASE("without its files Fashion-MNIST says how to get them") {
  const TemporaryFolder folder;
  const std::string message = fashion_complaint(folder);
  check_contains(message, (folder / "train-images-idx3-ubyte.gz").string());
  check_contains(message, "`apt install dataset-fashion-mnist`");
  check_contains(message, "`./dev demo --fashion`");
  CHECK(message.find('\n') == message.npos);

  put_fashion(folder);
  std::filesystem::remove(folder / "t10k-labels-idx1-ubyte.gz");
  check_contains(fashion_complaint(folder), "t10k-labels-idx1-ubyte.gz");
}

TEST_CASE("files of Fashion-MNIST that disagree are refused with both numbers") {
  const TemporaryFolder folder;
  put_fashion(folder);
  put(folder / "train-labels-idx1-ubyte.gz", gzip(idx_labels(19)));
  check_contains(fashion_complaint(folder), "has 19 labels, but");
  check_contains(fashion_complaint(folder), "has 20 images");

  put_fashion(folder);
  put(folder / "t10k-images-idx3-ubyte.gz", gzip(idx_images(10, 3, 4)));
  check_contains(fashion_complaint(folder), "training images are 4x3 pixels, test images are 3x4");
}

TEST_SUITE("fashion") {
  TEST_CASE("the real Fashion-MNIST, where it is installed, has 6,000 and 1,000 images of each class") {
    if (!std::filesystem::exists(default_fashion_directory)) {
      MESSAGE("skipped: dataset-fashion-mnist is not installed");
      return;
    }
    const Dataset data = load_fashion();
    CHECK(data.rows == 28);
    CHECK(data.columns == 28);
    CHECK(data.train_pixels.size() == 60000u * 784);
    CHECK(data.test_pixels.size() == 10000u * 784);
    CHECK(class_counts(data.train_labels) == std::vector<std::int64_t>(10, 6000));
    CHECK(class_counts(data.test_labels) == std::vector<std::int64_t>(10, 1000));
  }

}  // TEST_SUITE
