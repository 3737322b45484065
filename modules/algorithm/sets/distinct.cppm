module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:distinct;
import tessera.standard;
import tessera.core;
import tessera.memory;
import :rows;
import :host_elements;

// The different elements of a vector, or the different slices of a matrix, for types that are known at run time.
namespace tessera::sets {

/// What is asked for beside the values. Results are the same for any number of threads.
struct Wanted {
  bool counts = false;
  bool positions = false;
  std::int64_t* inverse =
      nullptr;  ///< for each element its number among the different ones; written by the constructor
};

/// The different elements in ascending order: zeros of both signs are one, and so are all NaN, which come last.
class Distinct {
 public:
  /// Throws OutOfMemory before anything is written.
  Distinct(const rows::Vector& values, const Wanted& wanted);

  std::ptrdiff_t count() const { return count_; }
  void write_values(void* to) const;
  /// How often each is there.
  void write_counts(std::int64_t* to) const;
  /// Where each is first.
  void write_positions(std::int64_t* to) const;

 private:
  friend struct Findings;
  DType dtype_;
  std::ptrdiff_t count_ = 0;
  memory::Allocation keys_, counts_, positions_;
};

/// The different rows of a matrix without gaps, in lexicographic order of their elements: writes to `order` the first position of each, to
/// `inverse` each row's number among the different ones, to `counts` how often each is there, and returns how many there are. All three have
/// room for `count`.
struct Slices {
  rows::Vector values;
  std::ptrdiff_t count, length;
};
std::ptrdiff_t find_distinct(const Slices& slices, std::int64_t* order, std::int64_t* inverse, std::int64_t* counts);

}  // namespace tessera::sets
