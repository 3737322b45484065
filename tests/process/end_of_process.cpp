// What a program still does with arrays when it ends: in static destructors, thread_local ones, atexit handlers, and on threads that run on.
// Without arguments it runs itself once for each case, with a time limit; the cases that fail are printed.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>

import tessera;

using namespace tessera;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

void small() {
  Array<float, 1> a = ones<float>(Dim{10});
  a = a * 2;
  require(double(sum(a)) == 20);
}
void parallel() {
  Array<float, 2> a = ones<float>(Dim{1000, 1001});
  a = where(a.T() > 0, 2.0f, exp(a.T())).T() + 1;
  require(double(sum(a)) == 3003000);
}
void product_of_matrices() {
  const Array<float, 2> a = ones<float>(Dim{300, 300});
  const Array<float, 2> b = dot(a, a);
  require(float(b[{299, 0}]) == 300);
}
void asynchronous() {
  Scheduler scheduler({.workers = 2});
  Array<float, 1> a = ones<float>(Dim{100'000});
  {
    const Async on{scheduler};
    a = a * 3;
    a += 1;
  }
  require(float(a[{5}]) == 4);
}
void traced() {
  Scheduler scheduler({.workers = 2});
  const Trace trace(scheduler);
  const Var var;
  for (int i = 0; i < 10; ++i) scheduler.submit(writes(var), [] {});
  scheduler.wait_all();
  require(trace.records().size() == 10);
}
void pool() {
  for (const std::ptrdiff_t bytes : {100, 1 << 22}) memory::free(CpuPlace{}, memory::alloc(CpuPlace{}, bytes));
}
void on_gpu() {
  require(device_count() > 0);
  Array<float, 1> a = ones<float>(Dim{5000}, GpuPlace{0});
  a = a * 2 + 1;
  require(double(sum(a)) == 15000);
}

struct Job {
  std::string_view name;
  void (*run)();
};
constexpr Job jobs[] = {{"small", small},        {"parallel", parallel}, {"product", product_of_matrices},
                        {"async", asynchronous}, {"trace", traced},      {"pool", pool},
                        {"gpu", on_gpu}};
constexpr std::string_view phases[] = {"static", "thread_local", "atexit", "running"};

constinit const Job* at_exit = nullptr;

/// Its destructor runs a job; of a static object before those of the library, which it is made after.
struct AtEnd {
  const Job* job = nullptr;
  ~AtEnd() {
    if (job != nullptr) job->run();
  }
};
AtEnd static_object;
thread_local AtEnd object_of_thread;

int run_case(std::string_view moment, const Job& job, bool is_used_before) {
  if (moment == "thread_local") object_of_thread.job = &job;  // made before what the library has for this thread
  if (is_used_before) {
    for (const Job& each : jobs) each.run();
  }
  if (moment == "static") static_object.job = &job;
  if (moment == "atexit") {
    at_exit = &job;
    std::atexit([] { at_exit->run(); });
  }
  if (moment == "running") {
    std::thread([&job] {
      for (;;) job.run();
    }).detach();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return 0;
}

/// Whether this program ends well with these arguments, within half a minute.
bool ends_well(const char* self, const std::string& moment, const std::string& job, const char* before) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);
    execl(self, self, moment.c_str(), job.c_str(), before, nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  std::printf("%s, %s, %s: %s %d\n", moment.c_str(), job.c_str(), before, WIFSIGNALED(status) ? "signal" : "exit code",
              WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  return false;
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 4) {
    for (const Job& job : jobs) {
      if (job.name == arguments[2]) return run_case(arguments[1], job, arguments[3] == std::string_view("used before"));
    }
    return 2;
  }
  int cases = 0, failures = 0;
  for (const std::string_view phase : phases) {
    for (const Job& job : jobs) {
      for (const char* const before : {"used before", "fresh"}) {
        ++cases;
        failures += ends_well(arguments[0], std::string(phase), std::string(job.name), before) ? 0 : 1;
      }
    }
  }
  // A trace that cannot be written is reported, and the program ends as it would have.
  setenv("TESSERA_MEMORY_TRACE", "/dev/full", 1);
  ++cases;
  failures += ends_well(arguments[0], "static", "small", "used before") ? 0 : 1;
  std::printf("%d of %d cases end well\n", cases - failures, cases);
  return failures == 0 ? 0 : 1;
}
