module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:interpreter;
import tessera.standard;
import tessera.core;
import tessera.schedule;
import :plan;
import :function;
import :program;
import :lowering;
import :ordered;

// A program as one kernel: its steps are computed in turn for a few hundred elements, whose values stay in the L1 cache in between.
namespace tessera::dynamic {

/// So many values, in the object itself if they are few.
template <class T, std::size_t Few>
class SmallArray {
 public:
  explicit SmallArray(std::size_t count = 0) { resize(count); }
  SmallArray(const SmallArray&) = delete;
  SmallArray& operator=(const SmallArray&) = delete;

  /// The values are not kept.
  void resize(std::size_t count) {
    count_ = count;
    if (count > Few) many_.resize(count);
  }
  std::size_t size() const { return count_; }
  T* data() { return count_ > Few ? many_.data() : few_.data(); }
  const T* data() const { return count_ > Few ? many_.data() : few_.data(); }
  T& operator[](std::size_t at) { return data()[at]; }
  const T& operator[](std::size_t at) const { return data()[at]; }

 private:
  alignas(alignof(T) > 16 ? alignof(T) : 16) std::array<T, Few> few_;
  std::vector<T> many_;
  std::size_t count_ = 0;
};

/// A program that is ready to be run for elements of one type. It is valid as long as the expression.
class Interpreter {
 public:
  /// For `elements` elements at most. Throws DTypeError if an assignment does not convert the values to elements of type `to`.
  Interpreter(const DExpression& expression, DType to, std::ptrdiff_t elements);

  /// The kernel, which takes this as its nodes.
  static void run(const void* interpreter, void* to, const plan::Input* inputs, std::ptrdiff_t n);

 private:
  /// A step with the places of what it reads and writes: leaves come first, then constants, then registers. The last step writes the
  /// result.
  struct Instruction {
    plan::Kernel kernel;
    const void* nodes;
    std::array<std::uint16_t, 3> from;
    std::uint16_t to;
    std::uint8_t arguments;
    std::uint8_t item;  // bytes of an element that it writes
  };

  void place_registers(const Steps& steps, std::span<const Step> more);
  void copy_constants(const Steps& steps, std::ptrdiff_t elements);
  void run_in(std::byte* to, const plan::Input* inputs, std::ptrdiff_t n, std::byte* registers,
              std::byte* copies) const;

  std::size_t leaves_, constants_, registers_ = 0;
  std::ptrdiff_t result_item_;
  std::ptrdiff_t chunk_ = 0;           // elements that are computed at a time
  std::ptrdiff_t register_bytes_ = 0;  // of one
  std::ptrdiff_t copies_ = 0;          // of a repeated value that a step may read
  bool expands_ = false;               // repeated leaves come with fewer copies
  SmallArray<Instruction, 16> instructions_;
  SmallArray<std::uint8_t, 16> items_;    // bytes of an element of each leaf
  SmallArray<std::uint16_t, 16> places_;  // where each step's values are
  SmallArray<std::byte, 1024> constant_copies_;
  std::ptrdiff_t constant_bytes_ = 0;  // of the copies of one
};

/// What the scheduler knows of work whose result has one of the ranks up to max_rank.
using Forms = std::array<AssignmentForm, static_cast<std::size_t>(max_rank) + 1>;
Forms make_forms(const schedule::BodyType& body,
                 void (*look)(const void* node, const plan::LeafVisitor& visitor, std::ptrdiff_t* extents));

}  // namespace tessera::dynamic
