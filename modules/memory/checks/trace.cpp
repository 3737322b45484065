module;
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>
module tessera.memory;
import tessera.core;
import tessera.device;

// The trace file's bytes.
namespace tessera::memory {

namespace {

constexpr std::string_view magic = "TSRM\1";

[[noreturn]] void fail(std::string_view operation, const std::string& path, const std::string& problem) {
  throw FormatError(to_string(Failure{.operation = operation, .problem = path + ": " + problem}));
}

/// Reads a file's numbers.
class Numbers {
 public:
  Numbers(const std::string& path, std::string bytes) : path_(path), bytes_(std::move(bytes)) {
    if (!bytes_.starts_with(magic)) fail("memory::read_trace", path_, "this is no trace of version 1");
  }

  bool done() const { return position_ == bytes_.size(); }

  std::uint64_t next() {
    std::uint64_t number = 0;
    for (int shift = 0; shift < 63; shift += 7) {
      if (done()) fail("memory::read_trace", path_, "it ends within a number, at byte " + std::to_string(position_));
      const auto byte = static_cast<unsigned char>(bytes_[position_++]);
      number |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return number;
    }
    refuse("a number of more than 63 bits");
  }

  [[noreturn]] void refuse(const std::string& what) const {
    fail("memory::read_trace", path_, what + " ends at byte " + std::to_string(position_));
  }

 private:
  const std::string& path_;
  std::string bytes_;
  std::size_t position_ = magic.size();
};

}  // namespace

std::vector<TraceEvent> read_trace(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) fail("memory::read_trace", path, "cannot be read");
  Numbers numbers(path, std::string(std::istreambuf_iterator<char>(file), {}));
  std::vector<TraceEvent> events;
  std::vector<bool> live;
  while (!numbers.done()) {
    const std::uint64_t number = numbers.next();
    if (number % 2 == 0) {
      events.push_back({live.size(), static_cast<std::ptrdiff_t>(number / 2)});
      live.push_back(true);
      continue;
    }
    const std::uint64_t ago = number / 2;
    if (ago >= live.size()) numbers.refuse("a free of what was never allocated");
    const std::uint64_t allocation = live.size() - 1 - ago;
    if (!live[allocation]) numbers.refuse("a second free");
    live[allocation] = false;
    events.push_back({allocation, -1});
  }
  return events;
}

TraceWriter::TraceWriter(const std::string& path)
    : path_(path), file_(std::make_unique<std::ofstream>(path, std::ios::binary)) {
  *file_ << magic;
  if (!*file_) fail("memory::start_trace", path_, "cannot be written");
}

void TraceWriter::allocated(const void* pointer, std::ptrdiff_t bytes) {
  live_[pointer] = count_++;
  put(2 * static_cast<std::uint64_t>(bytes));
}

void TraceWriter::freed(const void* pointer) {
  const auto found = live_.find(pointer);
  if (found == live_.end()) return;
  put(2 * (count_ - 1 - found->second) + 1);
  live_.erase(found);
}

void TraceWriter::finish() {
  file_->flush();
  if (!*file_) fail("memory::stop_trace", path_, "is not complete");
}

void TraceWriter::put(std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) file_->put(static_cast<char>(number | 0x80));
  file_->put(static_cast<char>(number));
}

}  // namespace tessera::memory
