// Readers of gzip-compressed IDX files, the format of MNIST and Fashion-MNIST.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace digits {

/// Grey images as they stand in the file.
struct IdxImages {
  std::int64_t count = 0;
  int rows = 0;
  int columns = 0;
  std::vector<std::uint8_t> pixels;  ///< count x rows x columns
};

/// Images of an idx3-ubyte file. Memory grows with what is really in the file, not with what its header claims.
/// Throws DataError for a wrong magic number, absurd extents, and fewer or more bytes than declared.
IdxImages read_idx_images(const std::filesystem::path& file);

/// Labels of an idx1-ubyte file, each below `classes`. Throws DataError as read_idx_images.
std::vector<std::uint8_t> read_idx_labels(const std::filesystem::path& file, int classes);

}  // namespace digits
