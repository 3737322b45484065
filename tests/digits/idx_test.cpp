// Tests of the IDX readers on files that are not what they claim to be.
#include "idx.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>

#include "errors.hpp"
#include "gzip_bytes.hpp"
#include "messages.hpp"
#include "temporary_folder.hpp"

using namespace digits;

namespace {

/// What the reader says about a file with these bytes; checks that it names the file and needs one line.
std::string complaint(const std::string& bytes, bool labels = false) {
  const TemporaryFolder folder;
  put(folder / "file.gz", bytes);
  const std::string message = message_of<DataError>([&] {
    if (labels) {
      read_idx_labels(folder / "file.gz", 10);
    } else {
      read_idx_images(folder / "file.gz");
    }
  });
  check_contains(message, "'" + (folder / "file.gz").string() + "'");
  CHECK(message.find('\n') == message.npos);
  return message;
}

std::atomic<std::size_t> largest_request = 0;

/// Largest piece of memory that was asked for at once while `action` ran.
template <typename Action>
std::size_t largest_request_of(Action action) {
  largest_request = 0;
  action();
  return largest_request;
}

}  // namespace

// The whole program allocates through these, so that a test can see what a reader asks for, touched or not.
void* operator new(std::size_t size) {
  largest_request = std::max<std::size_t>(largest_request, size);
  if (void* const memory = std::malloc(std::max<std::size_t>(size, 1))) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

TEST_CASE("images and labels are read as they stand in the file") {
  const TemporaryFolder folder;
  put(folder / "images.gz", gzip(idx_images(3, 2, 5)));
  put(folder / "labels.gz", gzip(idx_labels(12)));
  const IdxImages images = read_idx_images(folder / "images.gz");
  CHECK(images.count == 3);
  CHECK(images.rows == 2);
  CHECK(images.columns == 5);
  CHECK(images.pixels.size() == 30);
  CHECK(images.pixels[29] == 29);
  const std::vector<std::uint8_t> labels = read_idx_labels(folder / "labels.gz", 10);
  CHECK(labels == std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1});
}

TEST_CASE("a wrong magic number is refused with both numbers") {
  check_contains(complaint(gzip(idx_labels(10))), "has magic number 0x00000801, expected 0x00000803");
  check_contains(complaint(gzip(idx_images(1, 2, 2)), true), "has magic number 0x00000803, expected 0x00000801");
  check_contains(complaint(gzip(idx_header(0x00000d03, {1, 1, 1}))), "has magic number 0x00000d03");  // floats
  check_contains(complaint(gzip(idx_header(0x03080000, {1, 1, 1}))), "has magic number 0x03080000");  // little-endian
}

TEST_CASE("a header that is cut short is refused") {
  check_contains(complaint(gzip("")), "ends inside its header, after 0 bytes");
  check_contains(complaint(gzip(idx_images(1, 2, 2).substr(0, 15))), "ends inside its header, after 15 bytes");
  check_contains(complaint(gzip(idx_labels(1).substr(0, 6)), true), "ends inside its header, after 6 bytes");
}

TEST_CASE("extents of zero and absurd extents are refused with value and range") {
  check_contains(complaint(gzip(idx_header(images_magic, {0, 28, 28}))),
                 "declares 0 images, allowed are 1 to 10000000");
  check_contains(complaint(gzip(idx_header(images_magic, {1, 0, 28}))), "declares 0 rows, allowed are 1 to 1024");
  check_contains(complaint(gzip(idx_header(images_magic, {1, 28, 1025}))),
                 "declares 1025 columns, allowed are 1 to 1024");
  check_contains(complaint(gzip(idx_header(images_magic, {0xffffffff, 28, 28}))), "declares 4294967295 images");
  check_contains(complaint(gzip(idx_header(images_magic, {1, 0xffffffff, 0xffffffff}))), "declares 4294967295 rows");
  check_contains(complaint(gzip(idx_header(labels_magic, {0xffffffff})), true), "declares 4294967295 labels");
}

TEST_CASE("a declared size is not believed: no memory is taken for data that is not there") {
  const auto check = [](const std::string& bytes, const std::string& message) {
    CHECK(largest_request_of([&] { check_contains(complaint(bytes), message); }) < std::size_t{2} << 20);
  };
  check(gzip(idx_header(images_magic, {10'000'000, 1024, 1024})),
        "declares 10485760000000 bytes of data, allowed are 1073741824");
  check(gzip(idx_header(images_magic, {1024, 1024, 1024})),
        "declares 1073741824 bytes of data, which cannot be in a file of ");
  // Here the file is just large enough on disk for the claim to be possible; it is wrong all the same.
  std::string noise = idx_header(images_magic, {512, 1024, 1024});
  std::uint32_t state = 1;
  for (int i = 0; i < 600'000; ++i) noise += static_cast<char>((state = state * 1664525 + 1013904223) >> 24);
  check(gzip(noise), "declares 536870912 bytes of data, but holds 600000");
}

TEST_CASE("a stream that is much longer than declared is not decompressed to its end") {
  const std::string bomb = gzip(idx_images(2, 2, 2) + std::string(std::size_t{64} << 20, '\0'));
  const std::size_t largest =
      largest_request_of([&] { check_contains(complaint(bomb), "declares 8 bytes of data, but more follow"); });
  CHECK(largest < std::size_t{1} << 20);
}

TEST_CASE("fewer and more bytes than declared are refused") {
  const std::string whole = idx_images(3, 2, 2);
  check_contains(complaint(gzip(whole.substr(0, whole.size() - 1))), "declares 12 bytes of data, but holds 11");
  check_contains(complaint(gzip(whole.substr(0, 16))), "declares 12 bytes of data, but holds 0");
  check_contains(complaint(gzip(whole + "x")), "declares 12 bytes of data, but more follow");
  check_contains(complaint(gzip(idx_labels(5) + "\1"), true), "declares 5 bytes of data, but more follow");
}

TEST_CASE("a label that is no class is refused with its value and place") {
  check_contains(complaint(gzip(idx_header(labels_magic, {3}) + std::string("\1\x0a\2", 3)), true),
                 "has label 10 at position 1, allowed are 0 to 9");
}

TEST_CASE("a gzip stream cut anywhere is refused") {
  const std::string whole = gzip(idx_images(3, 5, 5));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO("first ", size, " of ", whole.size(), " bytes");
    check_contains(complaint(whole.substr(0, size)), "is cut short");
  }
}

TEST_CASE("a gzip stream with any byte changed is refused, or gives the same data") {
  const std::string whole = gzip(idx_images(3, 5, 5));
  const TemporaryFolder folder;
  put(folder / "whole.gz", whole);
  const std::vector<std::uint8_t> expected = read_idx_images(folder / "whole.gz").pixels;
  int refused = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x55);
    put(folder / "damaged.gz", damaged);
    std::vector<std::uint8_t> pixels = expected;
    try {
      pixels = read_idx_images(folder / "damaged.gz").pixels;
    } catch (const DataError&) {
      ++refused;
    }
    CHECK(pixels == expected);
  }
  // Only the time stamp and the name of the system in gzip's header mean nothing.
  CHECK(refused > static_cast<int>(whole.size()) - 12);
}

TEST_CASE("what is no gzip file, or is followed by other bytes, is refused") {
  check_contains(complaint(idx_images(3, 2, 2)), "is not a gzip file or is damaged");
  check_contains(complaint("hello"), "is not a gzip file or is damaged");
  check_contains(complaint(gzip(idx_images(3, 2, 2)) + "extra"), "other bytes follow the gzip stream");
}

TEST_CASE("what cannot be opened or read is refused with the reason") {
  const TemporaryFolder folder;
  const std::string missing = message_of<DataError>([&] { read_idx_images(folder / "none.gz"); });
  check_contains(missing, "none.gz' cannot be opened: No such file or directory");
  const std::string directory = message_of<DataError>([&] { read_idx_images(folder.path()); });
  check_contains(directory, "' cannot be read");
}
