// Checks that the library and the hand-written loops of each pattern write the same, then times them in turns.
//     PROGRAM ROUNDS MICROSECONDS [NAME...]     prints "name library-ns loop-ns ratio" for each pattern, or what is wrong
#include "harness.hpp"
#include "loops.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>
#include <string_view>

namespace patterns {

std::vector<Pattern> all();
void set_one_thread();

namespace {

constexpr std::size_t sizes[] = {4, 8, 2, 2, 4, 8, 8, 2, 1};

std::size_t size_of(Type type) { return sizes[static_cast<int>(type)]; }

/// Calls body with a null pointer to the type's elements.
template <class Body>
void with_type(Type type, const Body& body) {
  switch (type) {
    case Type::f32: return body(static_cast<float*>(nullptr));
    case Type::f64: return body(static_cast<double*>(nullptr));
    case Type::f16: return body(static_cast<_Float16*>(nullptr));
    case Type::bf16: return body(static_cast<Bfloat16*>(nullptr));
    case Type::i32: return body(static_cast<std::int32_t*>(nullptr));
    case Type::i64: return body(static_cast<std::int64_t*>(nullptr));
    case Type::u64: return body(static_cast<std::uint64_t*>(nullptr));
    case Type::i16: return body(static_cast<std::int16_t*>(nullptr));
    case Type::u8: return body(static_cast<std::uint8_t*>(nullptr));
  }
}

/// Memory of one operand, at the start of a page.
class Memory {
 public:
  explicit Memory(const Operand& operand)
      : operand_(operand),
        bytes_(static_cast<std::size_t>(operand.elements) * size_of(operand.type)),
        data_(static_cast<std::byte*>(::operator new(bytes_ + 64, std::align_val_t(4096)))) {}
  Memory(const Memory&) = delete;
  ~Memory() { ::operator delete(data_, std::align_val_t(4096)); }

  void fill(unsigned seed) {
    with_type(operand_.type, [&]<class T>(T*) {
      unsigned state = seed * 2654435761u + 1;
      for (std::ptrdiff_t i = 0; i < operand_.elements; ++i) {
        state = state * 1664525u + 1013904223u;
        const int number = static_cast<int>(state >> 16) % 201 - 100;
        reinterpret_cast<T*>(data_)[i] = static_cast<T>(std::is_unsigned_v<T>   ? static_cast<float>(number + 100)
                                                        : std::is_integral_v<T> ? static_cast<float>(number)
                                                                                : static_cast<float>(number) * 0.125f);
      }
    });
  }
  void* at(std::ptrdiff_t position) const {
    return data_ + position * static_cast<std::ptrdiff_t>(size_of(operand_.type));
  }
  const std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

 private:
  Operand operand_;
  std::size_t bytes_;
  std::byte* data_;
};

/// Position of the first element that differs, or -1. Results of reductions of floats may differ by their rounding errors.
std::ptrdiff_t difference(const Pattern& pattern, const Memory& ours, const Memory& loop) {
  std::ptrdiff_t found = -1;
  with_type(pattern.operands[0].type, [&]<class T>(T*) {
    const T* a = reinterpret_cast<const T*>(ours.data());
    const T* b = reinterpret_cast<const T*>(loop.data());
    const bool reads_double =
        std::ranges::any_of(pattern.operands, [](const Operand& operand) { return operand.type == Type::f64; });
    double largest = 0;
    for (std::ptrdiff_t i = 0; i < pattern.operands[0].elements; ++i)
      largest = std::max(largest, std::abs(to<double>(b[i])));
    const double tolerance = pattern.exact ? 0
                                           : largest * (sizeof(T) == 8          ? 1e-11
                                                        : pattern.exceeds_float ? 1e-2
                                                                                : 1e-4);
    for (std::ptrdiff_t i = 0; i < pattern.operands[0].elements && found < 0; ++i) {
      const double x = to<double>(a[i]), y = to<double>(b[i]);
      // A loop that clang vectorises rounds a double twice on its way to _Float16: to its last place.
      const double last_place = std::is_same_v<T, _Float16> && reads_double ? std::ldexp(std::abs(y), -10) : 0;
      if (!(x == y || (x != x && y != y) || std::abs(x - y) <= std::max(tolerance, last_place))) found = i;
    }
  });
  return found;
}

/// Of this thread, which a busy machine may interrupt.
double cpu_nanoseconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <class F>
double nanoseconds(const F& work, int repetitions) {
  const double begin = cpu_nanoseconds();
  for (int i = 0; i < repetitions; ++i) work();
  return (cpu_nanoseconds() - begin) / repetitions;
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

void measure(const Pattern& pattern, int rounds, double slice) {
  std::vector<Memory*> memory;
  std::vector<void*> library, loop;
  Memory reference(pattern.operands[0]);
  for (std::size_t k = 0; k < pattern.operands.size(); ++k) {
    const Operand& operand = pattern.operands[k];
    memory.push_back(new Memory(operand));
    memory.back()->fill(static_cast<unsigned>(k));
    library.push_back(memory.back()->at(operand.library));
    loop.push_back((k == 0 ? reference : *memory.back()).at(operand.loop));
  }
  reference.fill(0);
  pattern.prepare(library.data());
  pattern.run();
  for (const Loop& candidate : pattern.loops) {
    candidate.run(loop.data(), candidate.numbers.data());
    if (const std::ptrdiff_t at = difference(pattern, *memory[0], reference); at >= 0) {
      with_type(pattern.operands[0].type, [&]<class T>(T*) {
        const double ours = to<double>(reinterpret_cast<const T*>(memory[0]->data())[at]);
        const double expected = to<double>(reinterpret_cast<const T*>(reference.data())[at]);
        std::printf("%s differs at %td: %.17g, the loop has %.17g\n", pattern.name, at, ours, expected);
      });
      return;
    }
  }
  // All write to the same memory when they are timed: pages and cache sets are part of the time.
  loop[0] = memory[0]->at(pattern.operands[0].loop);
  std::vector<double> least;
  for (const Loop& candidate : pattern.loops) {
    double best = 1e18;
    for (int i = 0; i < 5; ++i)
      best = std::min(best, nanoseconds([&] { candidate.run(loop.data(), candidate.numbers.data()); }, 1));
    least.push_back(best);
  }
  const auto chosen = static_cast<std::size_t>(std::ranges::min_element(least) - least.begin());
  const Loop& best = pattern.loops[chosen];
  const int repetitions = std::max(1, static_cast<int>(slice / least[chosen]));
  std::vector<double> ours, theirs, ratios;
  for (int round = 0; round < rounds; ++round) {
    const double a = nanoseconds(pattern.run, repetitions);
    const double b = nanoseconds([&] { best.run(loop.data(), best.numbers.data()); }, repetitions);
    ours.push_back(a);
    theirs.push_back(b);
    ratios.push_back(a / b);
  }
  std::printf("%s %.1f %.1f %.4f %zu\n", pattern.name, median(ours), median(theirs), median(ratios), chosen);
  std::fflush(stdout);
  for (Memory* piece : memory) delete piece;
}

}  // namespace
}  // namespace patterns

int main(int count, char** words) {
  const int rounds = count > 1 ? std::atoi(words[1]) : 15;
  const double slice = (count > 2 ? std::atof(words[2]) : 300) * 1e3;
  patterns::set_one_thread();
  for (const patterns::Pattern& pattern : patterns::all()) {
    const auto wanted = [&](std::string_view name) { return name == pattern.name; };
    if (count <= 3 || std::any_of(words + 3, words + count, wanted)) patterns::measure(pattern, rounds, slice);
  }
}
