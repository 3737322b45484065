// What the generated sources of a pattern say of it: its operands, the library's function and the hand-written loops.
#pragma once

#include <cstddef>
#include <vector>

namespace patterns {

enum class Type { f32, f64, f16, bf16, i32, i64, u64, i16, u8 };

struct Operand {
  Type type;
  std::ptrdiff_t elements;
  std::ptrdiff_t library, loop;  // positions of the element with index 0, for the library and for the loops
};

struct Loop {
  void (*run)(void* const* operands, const long* numbers);
  std::vector<long> numbers;
};

struct Pattern {
  const char* name;
  std::vector<Operand> operands;           // the target first
  void (*prepare)(void* const* operands);  // makes the views
  void (*run)();                           // the library
  std::vector<Loop> loops;
  bool exact;
  bool exceeds_float;  // sums of so many values that the plain loop is less accurate
};

}  // namespace patterns
