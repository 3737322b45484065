module;
#include <cstddef>
#include <cstdint>
export module tessera.memory:trace;
import tessera.standard;
import tessera.core;
import tessera.device;

// Allocations as a file, to replay them on other allocators.
namespace tessera::memory {

/// An allocation, or the end of one.
export struct TraceEvent {
  std::uint64_t allocation;  ///< number of the allocation, from 0
  std::ptrdiff_t bytes;      ///< negative: the allocation is freed
  friend bool operator==(const TraceEvent&, const TraceEvent&) = default;
};

/// The events of a trace file in their order. Each allocation is freed at most once, after it was made. Throws FormatError for
/// anything else, with the position of the first byte that is wrong.
export std::vector<TraceEvent> read_trace(const std::string& path);

/// Writes a trace: "TSRM", a version byte, then for each event a number of seven bits a byte, lowest first: twice the bytes of an
/// allocation, or twice the number of allocations made since the one that is freed, plus one.
export class TraceWriter {
 public:
  /// Throws FormatError if the file cannot be written.
  explicit TraceWriter(const std::string& path);

  void allocated(const void* pointer, std::ptrdiff_t bytes);
  /// Frees of what was allocated before the trace began are left out.
  void freed(const void* pointer);
  /// Writes all that is left. Throws FormatError if the file is not complete.
  void finish();

 private:
  void put(std::uint64_t number);

  std::string path_;
  std::unique_ptr<std::ostream> file_;
  std::unordered_map<const void*, std::uint64_t> live_;
  std::uint64_t count_ = 0;
};

}  // namespace tessera::memory
