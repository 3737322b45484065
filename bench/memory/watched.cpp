// Times what watching a pool costs: memory_watched WAY [REPEATS], on blocks of given and of random sizes, untouched and written once.
// Ways: plain; untraced, after a trace that has ended; debug, in debug mode; statistics, a strategy alone and behind
// StatisticsAllocator in turns. A line of JSON for each answer.
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "questions.hpp"
import tessera;

using namespace tessera;

namespace {

struct Tessera {
  static void* allocate(std::ptrdiff_t bytes) { return memory::alloc(CpuPlace{}, bytes); }
  static void deallocate(void* pointer, std::ptrdiff_t) { memory::free(CpuPlace{}, pointer); }
};

/// The same, with every byte written once.
struct WrittenTessera {
  static void* allocate(std::ptrdiff_t bytes) {
    return std::memset(memory::alloc(CpuPlace{}, bytes), 1, static_cast<std::size_t>(bytes));
  }
  static void deallocate(void* pointer, std::ptrdiff_t) { memory::free(CpuPlace{}, pointer); }
};

template <class Way>
void ask_pairs(Answer answer, const std::string& kind) {
  const std::ptrdiff_t count = answer.way == "debug" ? 20'000 : 500'000;
  for (const std::ptrdiff_t bytes : {64, 256, 1024, 4096}) {
    answer.shape = kind + std::to_string(bytes);
    answer.print(count, [&] { pairs<Way>(bytes, count); });
  }
}

/// Random ones of 1,000 live blocks are replaced by others, 256 B to 1 MiB.
template <class Way>
void ask_random(Answer answer, const std::string& kind) {
  const Draws draws(1000, 1 << 13);
  std::vector<Held> held(1000);
  for (std::size_t slot = 0; slot < held.size(); ++slot)
    held[slot] = {Way::allocate(draws.bytes[slot]), draws.bytes[slot]};
  answer.shape = kind + "random";
  answer.print(static_cast<std::ptrdiff_t>(draws.bytes.size()), [&] {
    for (std::size_t i = 0; i < draws.bytes.size(); ++i) {
      Held& slot = held[draws.slots[i]];
      Way::deallocate(slot.pointer, slot.bytes);
      slot = {Way::allocate(draws.bytes[i]), draws.bytes[i]};
    }
  });
  for (const Held& slot : held) Way::deallocate(slot.pointer, slot.bytes);
}

using Strategy = memory::SegregatedFitAllocator<memory::CpuSystemAllocator>;

template <class Allocator>
double pair_nanoseconds(Allocator& allocator, std::ptrdiff_t bytes) {
  constexpr std::ptrdiff_t count = 50'000;
  const auto work = [&] {
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      void* pointer = allocator.allocate(bytes);
      keep(pointer);
      allocator.deallocate(pointer, bytes);
    }
  };
  return seconds_of(work) * 1e9 / static_cast<double>(count);
}

/// Both in turns, so that a machine that slows down slows both.
void ask_statistics(const Answer& answer) {
  Strategy bare{memory::CpuSystemAllocator{}};
  memory::StatisticsAllocator counted{Strategy{memory::CpuSystemAllocator{}}};
  for (const std::ptrdiff_t bytes : {64, 4096, 64 << 10}) {
    std::vector<double> without, with;
    for (int repeat = 0; repeat < 10 * answer.repeats; ++repeat) {
      without.push_back(pair_nanoseconds(bare, bytes));
      with.push_back(pair_nanoseconds(counted, bytes));
    }
    answer.print_series("strategy " + std::to_string(bytes), without);
    answer.print_series("counted " + std::to_string(bytes), with);
  }
}

/// A trace of nothing.
void begin_and_end_trace() {
  const std::string path = std::filesystem::temp_directory_path() / ("memory_watched_" + std::to_string(getpid()));
  memory::start_trace(CpuPlace{}, path);
  memory::stop_trace(CpuPlace{});
  std::filesystem::remove(path);
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view way = count > 1 ? arguments[1] : "";
  const Answer answer{std::string(way), "watched", "", count > 2 ? std::max(std::atoi(arguments[2]), 1) : 5};
  if (way == "statistics") return ask_statistics(answer), 0;
  if (way != "plain" && way != "untraced" && way != "debug")
    return std::fprintf(stderr, "usage: memory_watched plain|untraced|debug|statistics [REPEATS]\n"), 2;
  if (way == "untraced") begin_and_end_trace();
  if (way == "debug") memory::set_debug(CpuPlace{}, true);
  ask_pairs<Tessera>(answer, "");
  ask_pairs<WrittenTessera>(answer, "written ");
  ask_random<Tessera>(answer, "");
  ask_random<WrittenTessera>(answer, "written ");
}
