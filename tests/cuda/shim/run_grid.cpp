// Runs the threads of a block in lock step: each has a stack of its own and gives way at barriers.
#include <sys/mman.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "threads.hpp"

#ifndef __x86_64__
#error "the switch between stacks is written for x86-64"
#endif

// Saves the registers that a function must keep on this stack and goes on where the other stack was left.
extern "C" void shim_switch(void** left_stack, void* entered_stack);
asm(R"(
.text
.globl shim_switch
.hidden shim_switch
.type shim_switch, @function
shim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size shim_switch, .-shim_switch
)");

namespace shim {

namespace {

constexpr unsigned warp_size = 32;
constexpr std::size_t stack_bytes = std::size_t{128} << 10;
constexpr std::size_t guard_bytes = 4096;
constexpr unsigned long long nobodys_value = 0x7ff4dead7fa4deadull;  // a NaN, as one double and as two floats

enum class State { runs, waits_for_warp, waits_for_block, done };

struct Thread {
  State state = State::runs;
  unsigned mask = 0;  // of the warp barrier at which it waits
  unsigned long long given = 0;
  void* stack = nullptr;
};

/// Stacks with a page below that cannot be touched, kept for the next block.
std::byte* stack_of(unsigned thread) {
  static std::vector<std::byte*>& stacks = *new std::vector<std::byte*>;
  while (stacks.size() <= thread) {
    void* memory =
        mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory, guard_bytes, PROT_NONE) != 0) std::abort();
    stacks.push_back(static_cast<std::byte*>(memory));
  }
  return stacks[thread];
}

/// Numbers for orders: xorshift.
class Numbers {
 public:
  explicit Numbers(unsigned seed) : state_(seed * 2654435761u + 1u) {}
  unsigned below(unsigned end) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ % end;
  }
  std::vector<unsigned> order(unsigned count) {
    std::vector<unsigned> shuffled(count);
    for (unsigned k = 0; k < count; ++k) shuffled[k] = k;
    for (unsigned k = count; k > 1; --k) std::swap(shuffled[k - 1], shuffled[below(k)]);
    return shuffled;
  }

 private:
  unsigned state_;
};

class Block;
Block* running = nullptr;

[[noreturn]] void begin_thread();

class Block {
 public:
  Block(void (*call)(const void*), const void* arguments, unsigned threads, const View& view)
      : call_(call), arguments_(arguments), threads_(threads), view_(view) {}

  void run(const std::vector<unsigned>& order) {
    running = this;
    for (Thread& thread : threads_) thread = Thread{};
    for (unsigned k = 0; k < threads_.size(); ++k) prepare_stack(k);
    while (run_all(order) || release_warps() || release_block()) continue;
    for (const Thread& thread : threads_) {
      if (thread.state != State::done) report_deadlock();
    }
    running = nullptr;
  }

  [[noreturn]] void run_current() {
    call_(arguments_);
    give_way(State::done);
    std::abort();
  }

  void give_way(State state) {
    Thread& thread = current();
    thread.state = state;
    shim_switch(&thread.stack, scheduler_stack_);
  }

  void wait_for_warp(unsigned mask) {
    if ((mask >> current_ % warp_size & 1u) == 0) report_wrong_mask(mask);
    current().mask = mask;
    give_way(State::waits_for_warp);
  }

  Thread& current() { return threads_[current_]; }

  /// A lane of the current thread's warp is there and in the mask.
  bool takes_part(unsigned mask, unsigned lane) const {
    const unsigned thread = thread_of(lane);
    return lane < warp_size && (mask >> lane & 1u) != 0 && thread < threads_.size() &&
           threads_[thread].state != State::done;
  }
  unsigned long long given_by(unsigned lane) const { return threads_[thread_of(lane)].given; }
  const std::vector<Thread>& threads() const { return threads_; }

 private:
  unsigned thread_of(unsigned lane) const { return current_ / warp_size * warp_size + lane; }

  void prepare_stack(unsigned thread) {
    auto** top = reinterpret_cast<void**>(stack_of(thread) + stack_bytes);
    *--top = nullptr;  // so that begin_thread finds the stack as after a call
    *--top = reinterpret_cast<void*>(&begin_thread);
    for (int registers = 0; registers < 6; ++registers) *--top = nullptr;
    threads_[thread].stack = top;
  }

  /// Every thread that can run, until it waits or ends; false if there was none.
  bool run_all(const std::vector<unsigned>& order) {
    bool any = false;
    for (const unsigned number : order) {
      if (threads_[number].state != State::runs) continue;
      any = true;
      current_ = number;
      *view_.thread_index = {number, 0, 0};
      shim_switch(&scheduler_stack_, threads_[number].stack);
    }
    return any;
  }

  bool release_warps() {
    bool any = false;
    for (unsigned first = 0; first < threads_.size(); first += warp_size) {
      for (unsigned lane = 0; lane < warp_size && first + lane < threads_.size(); ++lane) {
        const Thread& thread = threads_[first + lane];
        if (thread.state == State::waits_for_warp && all_wait(first, thread.mask)) {
          release(first, thread.mask);
          any = true;
        }
      }
    }
    return any;
  }

  bool all_wait(unsigned first, unsigned mask) const {
    for (unsigned lane = 0; lane < warp_size && first + lane < threads_.size(); ++lane) {
      const Thread& thread = threads_[first + lane];
      if ((mask >> lane & 1u) == 0 || thread.state == State::done) continue;
      if (thread.state != State::waits_for_warp || thread.mask != mask) return false;
    }
    return true;
  }

  void release(unsigned first, unsigned mask) {
    for (unsigned lane = 0; lane < warp_size && first + lane < threads_.size(); ++lane) {
      Thread& thread = threads_[first + lane];
      if ((mask >> lane & 1u) != 0 && thread.state == State::waits_for_warp) thread.state = State::runs;
    }
  }

  bool release_block() {
    bool any = false;
    for (const Thread& thread : threads_) {
      if (thread.state == State::waits_for_warp) return false;
      any = any || thread.state == State::waits_for_block;
    }
    if (!any) return false;
    for (Thread& thread : threads_) {
      if (thread.state == State::waits_for_block) thread.state = State::runs;
    }
    return true;
  }

  [[noreturn]] void report_wrong_mask(unsigned mask) const {
    std::fprintf(stderr, "fake CUDA: thread %u waits for lanes %08x of its warp, and is none of them\n", current_,
                 mask);
    std::abort();
  }

  [[noreturn]] void report_deadlock() const {
    std::fprintf(stderr, "fake CUDA: the threads of a block wait for each other for ever:\n");
    for (std::size_t k = 0; k < threads_.size(); ++k) {
      const Thread& thread = threads_[k];
      if (thread.state == State::waits_for_warp)
        std::fprintf(stderr, "  thread %zu at a barrier of its warp with mask %08x\n", k, thread.mask);
      if (thread.state == State::waits_for_block) std::fprintf(stderr, "  thread %zu at a barrier of the block\n", k);
    }
    std::abort();
  }

  void (*call_)(const void*);
  const void* arguments_;
  std::vector<Thread> threads_;
  View view_;
  unsigned current_ = 0;
  void* scheduler_stack_ = nullptr;
};

void begin_thread() { running->run_current(); }

void wait_for_block() { running->give_way(State::waits_for_block); }

void wait_for_warp(unsigned mask) { running->wait_for_warp(mask); }

unsigned long long exchange(unsigned mask, unsigned long long value, unsigned lane) {
  running->current().given = value;
  running->wait_for_warp(mask);
  const unsigned long long got = running->takes_part(mask, lane) ? running->given_by(lane) : nobodys_value;
  running->wait_for_warp(mask);  // before anyone gives the next value
  return got;
}

unsigned ballot(unsigned mask, bool predicate) {
  running->current().given = predicate ? 1 : 0;
  running->wait_for_warp(mask);
  unsigned bits = 0;
  for (unsigned lane = 0; lane < warp_size; ++lane) {
    if (running->takes_part(mask, lane) && running->given_by(lane) != 0) bits |= 1u << lane;
  }
  running->wait_for_warp(mask);
  return bits;
}

unsigned count_in_block(bool predicate) {
  running->current().given = predicate ? 1 : 0;
  wait_for_block();
  unsigned count = 0;
  for (const Thread& thread : running->threads()) count += thread.state != State::done && thread.given != 0 ? 1 : 0;
  wait_for_block();
  return count;
}

}  // namespace

const Threads& threads_of_grid() {
  static constexpr Threads threads = {.wait_for_block = wait_for_block,
                                      .wait_for_warp = wait_for_warp,
                                      .exchange = exchange,
                                      .ballot = ballot,
                                      .count_in_block = count_in_block};
  return threads;
}

void run_grid(void (*call)(const void*), const void* arguments, unsigned blocks, unsigned threads, const View& view,
              unsigned seed) {
  Numbers numbers(seed);
  *view.grid = {blocks, 1, 1};
  *view.block = {threads, 1, 1};
  Block block(call, arguments, threads, view);
  const std::vector<unsigned> order = numbers.order(threads);
  for (const unsigned number : numbers.order(blocks)) {
    *view.block_index = {number, 0, 0};
    block.run(order);
  }
}

}  // namespace shim
