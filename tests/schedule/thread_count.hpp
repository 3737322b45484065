// Sets the number of threads for a scope.
#pragma once

/// `set` is the library's set_num_threads: a header cannot import it. Ends with two threads, whatever it was before.
class ThreadCount {
 public:
  ThreadCount(void (*set)(int), int count) : set_(set) { set_(count); }
  ~ThreadCount() { set_(2); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;

 private:
  void (*set_)(int);
};
