// Tests of programs that misuse memory, each in a process of its own: it ends with a message that says how, or reports at its end.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
import tessera;

using namespace tessera;

TEST_CASE("a pool refuses the blocks of another, large and small, watched or not") {
  for (const bool debug : {false, true}) {
    memory::Pool one{memory::CpuSystemAllocator{}}, other{memory::CpuSystemAllocator{}};
    other.set_debug(debug);
    for (const std::ptrdiff_t bytes : {64, 5000, 100'000, 20'000'000}) {
      void* block = one.allocate(bytes);
      CHECK_THROWS_AS(other.deallocate(block), PlaceError);
      CHECK(one.stats().live == 1);
      CHECK(other.stats().live == 0);
      one.deallocate(block);
    }
  }
}

TEST_CASE("an alignment that is no power of two is refused, whatever is in the cache") {
  memory::Pool pool{memory::CpuSystemAllocator{}};
  pool.deallocate(pool.allocate(100));
  for (const std::ptrdiff_t alignment : {63, 3, 0, -64, 65})
    CHECK_THROWS_AS((void)pool.allocate(100, alignment), ShapeError);
}

TEST_CASE("debug mode knows the guards of its blocks for no blocks") {
  memory::Pool pool{memory::CpuSystemAllocator{}};
  void* const before = pool.allocate(100);
  pool.set_debug(true);
  for (const std::ptrdiff_t alignment : {64, 256, 4096}) {
    for (const std::ptrdiff_t bytes : {1, 100, 100'000}) {
      auto* const block = static_cast<char*>(pool.allocate(bytes, alignment));
      for (const std::ptrdiff_t away :
           {-alignment, std::ptrdiff_t{-64}, std::ptrdiff_t{-1}, std::ptrdiff_t{1}, bytes}) {
        CAPTURE(away);
        CHECK_THROWS_AS(pool.deallocate(block + away), PlaceError);
      }
      pool.deallocate(block);
    }
  }
  pool.deallocate(before);  // from before debug mode
  pool.set_debug(false);    // which keeps freed blocks back
  CHECK(pool.stats().live == 0);
}

TEST_CASE("memory of the CPU cannot be freed as that of another place") {
  void* block = memory::alloc(CpuPlace{}, 100);
  const std::ptrdiff_t before = memory::used(CpuPlace{});
  CHECK_THROWS(memory::free(PinnedPlace{}, block));  // no such place, or not its memory
  CHECK_THROWS(memory::free(GpuPlace{0}, block));
  CHECK(memory::used(CpuPlace{}) == before);
  memory::free(CpuPlace{}, block);
}

// ThreadSanitizer's runtime ends forked children in its own way.
#if !__has_feature(thread_sanitizer)

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

struct End {
  bool died;
  std::string said;
};

/// Runs `work` in a child, and collects its standard error.
End end_of(const std::function<void()>& work) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // doctest's would report it
    dup2(ends[1], STDERR_FILENO);
    work();
    _exit(0);
  }
  close(ends[1]);
  End end{};
  char buffer[512];
  for (ssize_t count; (count = read(ends[0], buffer, sizeof buffer)) > 0;)
    end.said.append(buffer, static_cast<std::size_t>(count));
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  end.died = WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
  return end;
}

End debug_end_of(const std::function<void()>& work) {
  return end_of([&] {
    memory::set_debug(CpuPlace{}, true);
    work();
  });
}

void check_dies(const End& end, const std::string& message) {
  CAPTURE(end.said);
  CHECK(end.died);
  CHECK(contains(end.said, message));
}

constexpr const char* no_block = "is not the start of a live allocation";

}  // namespace

TEST_CASE(
    "a second free, a foreign and an interior pointer end a program that does not catch, without debug mode too") {
  const auto twice = []() noexcept {
    void* block = memory::alloc(CpuPlace{}, 100);
    memory::free(CpuPlace{}, block);
    memory::free(CpuPlace{}, block);
  };
  const auto foreign = []() noexcept {
    int mine = 0;
    memory::free(CpuPlace{}, &mine);
  };
  const auto interior = []() noexcept {
    memory::free(CpuPlace{}, static_cast<char*>(memory::alloc(CpuPlace{}, 100)) + 8);
  };
  const auto interior_of_large = []() noexcept {
    memory::free(CpuPlace{}, static_cast<char*>(memory::alloc(CpuPlace{}, 1'000'000)) + 4096);
  };
  check_dies(end_of(twice), no_block);
  check_dies(end_of(foreign), no_block);
  check_dies(end_of(interior), no_block);
  check_dies(end_of(interior_of_large), no_block);
  check_dies(debug_end_of(twice), "was freed before: 100 bytes from misuse_test.cpp:");
  check_dies(debug_end_of(foreign), no_block);
  check_dies(debug_end_of(interior), "points inside a block of 100 bytes from misuse_test.cpp:");
  check_dies(debug_end_of(interior_of_large), "points inside a block of 1000000 bytes from misuse_test.cpp:");
}

TEST_CASE("a resource refuses a pointer by an exception, and what must not throw ends the program with the message") {
  memory::PlaceResource resource;
  void* block = resource.allocate(100);
  resource.deallocate(block, 100);
  CHECK_THROWS_AS(resource.deallocate(block, 100), PlaceError);
  check_dies(end_of([] {
               memory::Pool pool{memory::CpuSystemAllocator{}};
               void* twice = pool.allocate(5000);
               pool.deallocate(twice, 5000);
               pool.deallocate(twice, 5000);
             }),
             no_block);
  check_dies(end_of([] {
               memory::ByteAllocator bytes(CpuPlace{});
               char* inside = bytes.allocate(100'000) + 64;
               bytes.deallocate(inside, 100'000);
             }),
             no_block);
}

TEST_CASE("an owner that finds its block damaged ends the program with a message") {
  check_dies(debug_end_of([] {
               const memory::Allocation block(CpuPlace{}, 100);
               static_cast<volatile char*>(block.data())[100] = 1;
             }),
             "was written to beyond its end: 100 bytes from misuse_test.cpp:");
  check_dies(debug_end_of([] {
               const memory::Allocation block(CpuPlace{}, 100);
               static_cast<volatile char*>(block.data())[-1] = 1;
             }),
             "was written to before its beginning: 100 bytes from misuse_test.cpp:");
}

TEST_CASE("an owner whose block was freed behind its back ends the program with a message") {
  check_dies(debug_end_of([] {
               const memory::Allocation block(CpuPlace{}, 100);
               memory::free(CpuPlace{}, block.data());
             }),
             "was freed before: 100 bytes from misuse_test.cpp:");
}

TEST_CASE("a write to freed memory ends the program when an owner's free makes it known") {
  check_dies(debug_end_of([] {
               auto* block = static_cast<volatile char*>(memory::alloc(CpuPlace{}, 100));
               memory::free(CpuPlace{}, const_cast<char*>(block));
               block[42] = 1;
               for (int i = 0; i < 3000; ++i) const memory::Allocation other(CpuPlace{}, 200);
             }),
             "was written to after it was freed, at byte 42: 100 bytes from misuse_test.cpp:");
}

TEST_CASE("what was never written is no number in debug mode") {
  check_dies(debug_end_of([] {
               const memory::Allocation block(CpuPlace{}, 4000);
               float sum = 0;
               for (int i = 0; i < 1000; ++i) sum += static_cast<const float*>(block.data())[i];
               if (sum != sum) std::fputs("the sum is no number", stderr), std::abort();
             }),
             "the sum is no number");
}

TEST_CASE("a program without misuse ends well in debug mode") {
  const End end = debug_end_of([] {
    for (int i = 0; i < 3000; ++i) const memory::Allocation block(CpuPlace{}, 10 * i);
    std::fputs(memory::leaks(CpuPlace{}).c_str(), stderr);
  });
  CHECK(!end.died);
  CHECK(end.said == "");
}

namespace {

/// This program once more, from its start, with debug mode by the environment and nothing to do but the named test.
End end_of_program(const char* test) {
  return end_of([&] {
    setenv("TESSERA_MEMORY_DEBUG", "1", 1);
    setenv("TESSERA_TEST_MISUSE", "1", 1);
    const std::string chosen = std::string("--test-case=") + test;
    execl("/proc/self/exe", "test_memory", chosen.c_str(), "--out=/dev/null", nullptr);
  });
}

bool is_child() { return std::getenv("TESSERA_TEST_MISUSE") != nullptr; }

}  // namespace

TEST_CASE("in a child: memory leaks") {
  if (!is_child()) return;
  CHECK(memory::alloc(CpuPlace{}, 123) != nullptr);
  memory::free(CpuPlace{}, memory::alloc(CpuPlace{}, 50));
}

TEST_CASE("in a child: freed memory is written to") {
  if (!is_child()) return;
  auto* block = static_cast<volatile char*>(memory::alloc(CpuPlace{}, 77));
  memory::free(CpuPlace{}, const_cast<char*>(block));
  block[3] = 1;
}

TEST_CASE("the environment turns debug mode on, and at exit the program says what it left") {
  const End leaky = end_of_program("in a child: memory leaks");
  CAPTURE(leaky.said);
  CHECK(!leaky.died);
  CHECK(contains(leaky.said, "memory: leaked 123 bytes from misuse_test.cpp:"));
  CHECK(contains(leaky.said, " on cpu\n"));
  CHECK(!contains(leaky.said, "50 bytes"));
  const End late = end_of_program("in a child: freed memory is written to");
  CAPTURE(late.said);
  CHECK(contains(late.said, "was written to after it was freed, at byte 3: 77 bytes from misuse_test.cpp:"));
}

#endif
