module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:counting;
import tessera.standard;
import tessera.core;
import tessera.memory;
import :rows;
import :host_elements;

// Counting by labels, for element types that are known at run time. Sums of weights are added up in parts that depend on the
// number of elements alone, so that they are the same for any number of threads.
namespace tessera::counting {

/// The largest label; a negative one is above all others.
std::uint64_t largest_label(const std::int64_t* labels, std::ptrdiff_t n);

/// So many bytes, all 0. Throws OutOfMemory.
memory::Allocation zeroed(std::ptrdiff_t bytes);

/// How often each label from 0 on is there, or the sum of the weights that it has.
class LabelCounts {
 public:
  /// `weights` has one number for each label, or is null. Throws IndexError for a label that is negative or too large for memory,
  /// OutOfMemory.
  LabelCounts(const rows::Vector& labels, const double* weights, const rows::Argument& argument);

  /// One more than the largest label.
  std::ptrdiff_t size() const { return size_; }
  /// Writes `length` counts, which are 0 from size() on: of int64, or of double if there are weights.
  void write(void* to, std::ptrdiff_t length) const;

 private:
  /// False if a label is not below `size`, a power of two.
  template <class T>
  bool count(const T* labels, std::ptrdiff_t n, std::ptrdiff_t size);
  template <class T>
  bool weigh(const T* labels, const double* weights, std::ptrdiff_t n, std::ptrdiff_t size);

  bool is_weighed_;
  memory::Allocation memory_;  // tables of uint32, or of double, whose sums are the result
  std::ptrdiff_t table_size_ = 0, table_count_ = 0;
  std::ptrdiff_t size_ = 0;
};

}  // namespace tessera::counting
