// Tests of fork(): the child gets errors or a scheduler of its own, and never hangs.
#include "executors.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

using namespace support;

namespace {

constexpr int passed = 17;

/// Runs `body` in a child; returns its exit status, or minus the signal that ended it. A child that hangs is ended after 20 s.
template <class Body>
int in_child(const Body& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    int status = 1;
    try {
      status = body() ? passed : 2;
    } catch (const std::exception& error) {
      std::fputs(error.what(), stderr);
      status = 3;
    }
    _exit(status);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

template <class Call>
bool is_refused(const Call& call) {
  return contains(message_of<SchedulerError>(call), "parent process");
}

}  // namespace

TEST_CASE("a child process is told that the scheduler is its parent's") {
  on_every_executor([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    const Var v;
    scheduler.submit(writes(v), [] {});
    scheduler.wait_all();
    CHECK(in_child([&] {
            return is_refused([&] { scheduler.submit(writes(v), [] {}); }) && is_refused([&] { scheduler.wait(v); }) &&
                   is_refused([&] { scheduler.wait_all(); }) && is_refused([&] { scheduler.stop(); }) &&
                   is_refused([&] { scheduler.start(); }) && is_refused([&] { scheduler.shutdown(Shutdown::drain); });
          }) == passed);
    scheduler.submit(writes(v), [] {});
    scheduler.wait(v);
    CHECK(v.version() == 2);
  });
}

TEST_CASE("a child process may make a scheduler of its own, on its parent's Vars too") {
  on_every_executor([](const SchedulerOptions& options) {
    const Var shared;
    {
      Scheduler scheduler(options);
      scheduler.submit(writes(shared), [] {});
    }
    CHECK(in_child([&] {
            Scheduler scheduler(options);
            const Var fresh;
            int runs = 0;
            for (int i = 0; i < 100; ++i) {
              scheduler.submit(writes(shared), [&] { ++runs; });
              scheduler.submit(reads(shared), writes(fresh), [&] { ++runs; });
            }
            scheduler.wait(fresh);
            scheduler.wait_all_for(10s);  // without the help of this thread
            return runs == 200;
          }) == passed);
    CHECK(shared.version() == 1);
  });
}

TEST_CASE("timers and coroutines work in a child process") {
  const auto sleeps = [](Scheduler&, Var v) -> Op {
    co_await access(writes(v));
    co_await sleep_for(1ms);
  };
  const auto works = [&] {
    Scheduler scheduler({.workers = 2});
    const Var v;
    static_cast<void>(sleeps(scheduler, v));
    scheduler.wait_for(v, 10s);
    return v.version() == 1;
  };
  CHECK(works());
  CHECK(in_child(works) == passed);
}

TEST_CASE("a process may fork in the middle of work: its child leaves what is pending alone and does not hang") {
  on_every_pool([](const SchedulerOptions& options) {
    Scheduler scheduler(options);
    std::vector<Var> vars(8);
    std::atomic<bool> done{false};
    std::thread submitter([&] {
      Random random(1);
      while (!done) {
        scheduler.submit(reads(vars[random.below(8)]), writes(vars[random.below(8)]), [] { spin(2us); });
      }
    });
    for (int round = 0; round < 10; ++round) {
      std::this_thread::sleep_for(1ms);
      const int status = in_child([&] {
        Scheduler own({.workers = 2});
        const Var fresh;
        own.submit(writes(fresh), [] {});
        own.wait(fresh);
        for (Var& var : vars) {  // each is refused, or was idle and works
          try {
            own.submit(writes(var), [] {});
            own.wait_for(var, 10s);
          } catch (const DeadlineExceeded&) {
            return false;
          } catch (const SchedulerError&) {
          }
          static_cast<void>(var.is_poisoned());
          var.clear();
          var = Var();
        }
        return fresh.version() == 1;
      });
      CHECK(status == passed);
    }
    done = true;
    submitter.join();
    scheduler.wait_all();
  });
}
