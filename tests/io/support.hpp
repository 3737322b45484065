// What the tests of files share: a folder of their own, files as strings, and arrays whose elements are compared one by one.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <stdlib.h>
#include <unistd.h>
import tessera;
import tessera.io;

/// A folder that goes with all that is in it; in memory where that can be, because every file that is saved is awaited on its disk.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const bool has_memory = ::access("/dev/shm", W_OK) == 0 && std::getenv("TMPDIR") == nullptr;
    std::string name = ((has_memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path()) /
                        "tessera-io-XXXXXX")
                           .string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string operator/(std::string_view name) const { return (path_ / name).string(); }
  std::string file(std::string_view name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return *this / name;
  }
  /// Names of all that is in it, with blanks between.
  std::string listing() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

template <class Error = tessera::FormatError, class Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

/// A .npy file of a header's dict and elements; its header is aligned to 64 as NumPy's are, unless `padding` says how many blanks it has.
inline std::string npy(std::string_view dict, std::string_view elements, int version = 1, int padding = -1) {
  const int before = version == 1 ? 10 : 12;
  std::string header(dict);
  if (padding < 0) padding = 63 - static_cast<int>((static_cast<std::size_t>(before) + header.size()) % 64);
  header.append(static_cast<std::size_t>(padding), ' ');
  header += '\n';
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(version), '\0'};
  for (int i = 0; i < before - 8; ++i) file += static_cast<char>(header.size() >> 8 * i & 0xff);
  return file + header + std::string(elements);
}

/// "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"
inline std::string dict(std::string_view descr, std::string_view shape, bool fortran = false) {
  return "{'descr': '" + std::string(descr) + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + std::string(shape) + ", }";
}

/// A safetensors file of a header and data; the header is padded to 8 bytes.
inline std::string safetensors(std::string header, std::string_view data) {
  header.resize((header.size() + 7) / 8 * 8, ' ');
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>(header.size() >> 8 * i & 0xff);
  return file + header + std::string(data);
}

/// Bytes that differ from each other as far as they can; for bool they are 0 and 1.
inline std::string pattern(std::ptrdiff_t bytes, tessera::DType dtype = tessera::DType::uint8) {
  std::string content(static_cast<std::size_t>(bytes), '\0');
  for (std::size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(dtype == tessera::DType::boolean ? i % 3 == 0 : 7 + i * 37);
  }
  return content;
}

/// The bytes of the elements in row-major order, found from shape and strides alone.
inline std::string elements_of(const void* data, tessera::DType dtype, const tessera::DDim& shape,
                               std::span<const std::ptrdiff_t> strides) {
  const std::ptrdiff_t item = tessera::item_size(dtype);
  std::string bytes;
  const auto visit = [&](const auto& self, int axis, const char* at) -> void {
    if (axis == shape.rank()) {
      bytes.append(at, static_cast<std::size_t>(item));
      return;
    }
    for (std::ptrdiff_t i = 0; i < shape[axis]; ++i)
      self(self, axis + 1, at + i * strides[static_cast<std::size_t>(axis)] * item);
  };
  for (const std::ptrdiff_t extent : shape.extents()) {
    if (extent == 0) return bytes;
  }
  visit(visit, 0, static_cast<const char*>(data));
  return bytes;
}
inline std::string elements_of(const tessera::io::StoredArray& array) {
  return elements_of(array.buffer->data(), array.dtype, array.shape, array.strides);
}

inline std::vector<std::ptrdiff_t> row_major(const tessera::DDim& shape) {
  std::vector<std::ptrdiff_t> strides(static_cast<std::size_t>(shape.rank()));
  std::ptrdiff_t step = 1;
  for (std::size_t axis = strides.size(); axis-- > 0; step *= shape[static_cast<int>(axis)]) strides[axis] = step;
  return strides;
}

inline const std::vector<tessera::DType>& all_dtypes() {
  static const std::vector<tessera::DType> list = [] {
    std::vector<tessera::DType> dtypes;
    for (int i = 0; i < tessera::dtype_count; ++i) dtypes.push_back(static_cast<tessera::DType>(i));
    return dtypes;
  }();
  return list;
}

/// Shapes of rank 0 to 9, and empty ones.
inline const std::vector<tessera::DDim>& some_shapes() {
  using tessera::make_ddim;
  static const std::vector<tessera::DDim> list{make_ddim({}),
                                               make_ddim({1}),
                                               make_ddim({7}),
                                               make_ddim({2, 3}),
                                               make_ddim({3, 1, 4}),
                                               make_ddim({2, 1, 2, 3}),
                                               make_ddim({1, 2, 3, 2, 1}),
                                               make_ddim({2, 2, 2, 1, 2, 2}),
                                               make_ddim({1, 1, 2, 1, 3, 1, 1}),
                                               make_ddim({2, 1, 2, 1, 2, 1, 2, 1}),
                                               make_ddim({1, 2, 1, 2, 1, 2, 1, 2, 1}),
                                               make_ddim({0}),
                                               make_ddim({3, 0}),
                                               make_ddim({0, 3, 2}),
                                               make_ddim({1, 0, 1, 0})};
  return list;
}
