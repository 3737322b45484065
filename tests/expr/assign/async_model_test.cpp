// Arrays, Vars and schedulers as one model: random programs of ops by hand, coroutines, Async scopes, assignments at once, names, parts,
// failures, cancellations and schedulers that end at any point give what the same program gives without any of that.
#include "support.hpp"

#include <coroutine>
#include <functional>
#include <optional>
#include <stdexcept>
#include <stop_token>

using namespace tessera;
using namespace support;

namespace {

using Vector = Array<std::int64_t, 1>;
constexpr std::ptrdiff_t length = 6;

/// What a storage holds if all ops are run where they are written.
struct Contents {
  std::vector<std::int64_t> values = std::vector<std::int64_t>(length);
  bool is_poisoned = false;
};

/// Permuting runs ops only while somebody waits with it, so two schedulers whose ops wait for each other have other executors.
SchedulerOptions random_options(Random& random, bool permutes) {
  if (permutes) return {.executor = Permuting{.seed = random.bits()}};
  switch (random.below(3)) {
    case 0: return {.executor = Inline{}};
    case 1: return {.workers = 1};
    default: return {.workers = 3};
  }
}

Op add_in_turns(Scheduler&, Vector from, Vector to) {
  co_await access(reads(from.var(), to.var()), writes(to.var()), {.name = "add in turns"});
  for (std::ptrdiff_t i = 0; i < length; ++i) {
    to.data()[i] += from.data()[i];
    if (i % 2 == 0) co_await yield();
  }
}

Op assign_in_scope(Scheduler& scheduler, Vector from, Vector to, std::int64_t number) {
  co_await access();
  const Async on{scheduler};
  co_await yield();
  to(all) = from + number;
}

class Program {
 public:
  explicit Program(std::uint64_t seed) : random_(Random::of_case(seed)), permutes_(random_.below(4) == 0) {
    for (std::size_t i = 0; i < count; ++i) {
      names_.push_back(zeros<std::int64_t>(Dim{length}));
      model_.push_back(std::make_shared<Contents>());
    }
    for (auto& scheduler : schedulers_) scheduler.emplace(random_options(random_, permutes_));
  }

  void run(int steps) {
    for (int step = 0; step < steps; ++step) {
      const std::int64_t what = random_.below(16);
      trail_ += std::to_string(what) + ' ';
      one(what);
    }
    for (std::size_t i = 0; i < count; ++i) read(i, i % length);
    for (std::size_t i = 0; i < count; ++i) {
      if (!model_[i]->is_poisoned)
        check(std::vector<std::int64_t>(names_[i].begin(), names_[i].end()) == model_[i]->values);
    }
  }

 private:
  static constexpr std::size_t count = 4;

  std::string how() const { return random_.how_to_repeat() + ", steps " + trail_; }
  void check(bool is_right) const { CHECK_MESSAGE(is_right, how()); }
  std::size_t any() { return static_cast<std::size_t>(random_.below(count)); }
  std::size_t any_scheduler() { return permutes_ ? 0 : static_cast<std::size_t>(random_.below(2)); }
  Scheduler& scheduler() { return *schedulers_[any_scheduler()]; }

  /// The action throws if what it reads is poisoned, and changes nothing then.
  bool fails(bool is_poisoned, const std::function<void()>& action) {
    bool has_failed = false;
    try {
      action();
    } catch (const OperationFailed&) {
      has_failed = true;
    }
    check(has_failed == is_poisoned);
    return has_failed;
  }

  void read(std::size_t i, std::ptrdiff_t at) {
    std::int64_t seen = 0;
    if (fails(model_[i]->is_poisoned, [&] { seen = names_[i][{at}]; })) return;
    check(seen == model_[i]->values[static_cast<std::size_t>(at)]);
  }

  /// An op has read `from` and written all of `to`, whose old elements it read too if it `reads_to`.
  template <class F>
  void apply(const Contents& from, Contents& to, bool reads_to, const F& f) {
    to.is_poisoned = from.is_poisoned || (reads_to && to.is_poisoned);
    if (to.is_poisoned) return;
    const std::vector<std::int64_t> read = from.values;
    for (std::size_t k = 0; k < length; ++k) to.values[k] = f(read[k], to.values[k]);
  }

  void one(std::int64_t what) {
    const std::size_t i = any(), j = any();
    Vector &to = names_[i], &from = names_[j];
    const std::shared_ptr<Contents> written = model_[i], read_from = model_[j];
    const std::int64_t number = random_.below(100);
    const bool is_same = written == read_from;
    switch (what) {
      case 0: return read(i, random_.below(length));
      case 1:  // an op by hand that writes all of it
        if (is_same) return;
        scheduler().submit(reads(from.var()), writes(to.var()), [to, from, number] {
          for (std::ptrdiff_t k = 0; k < length; ++k) to.data()[k] = from.data()[k] / 2 + number;
        });
        return apply(*read_from, *written, false, [&](auto a, auto) { return a / 2 + number; });
      case 2:  // one that changes it
        scheduler().submit(reads(to.var()), writes(to.var()), [to, number] {
          for (std::ptrdiff_t k = 0; k < length; ++k) to.data()[k] += number;
        });
        return apply(*written, *written, true, [&](auto, auto b) { return b + number; });
      case 3:
        static_cast<void>(add_in_turns(scheduler(), from, to));
        return apply(*read_from, *written, true, [](auto a, auto b) { return a + b; });
      case 4: {  // elements, later
        const Async on{scheduler()};
        to(all) = from * 2 + number;
        return apply(*read_from, *written, false, [&](auto a, auto) { return a * 2 + number; });
      }
      case 5: {
        const Async on{scheduler()};
        to += from;
        return apply(*read_from, *written, true, [](auto a, auto b) { return a + b; });
      }
      case 6: {  // a part, later
        const Async on{scheduler(), {.disjoint_views = false}};
        to(range(0, 3)) = from(range(3, 6)) + number;
        const std::vector<std::int64_t> old = read_from->values;
        written->is_poisoned = written->is_poisoned || read_from->is_poisoned;
        if (written->is_poisoned) return;
        for (std::size_t k = 0; k < 3; ++k) written->values[k] = old[k + 3] + number;
        return;
      }
      case 7:  // elements, at once
        if (!fails(read_from->is_poisoned, [&] { to(all) = from + number; }))
          apply(*read_from, *written, false, [&](auto a, auto) { return a + number; });
        return;
      case 8:
        if (!fails(written->is_poisoned, [&] { to(range(1, 4)) = number; }))
          std::fill_n(written->values.begin() + 1, 3, number);
        return;
      case 9: {  // a new value for a name, later and at once
        const Async on{scheduler()};
        to = from - number;
        model_[i] = std::make_shared<Contents>();
        return apply(*read_from, *model_[i], false, [&](auto a, auto) { return a - number; });
      }
      case 10:
        if (fails(read_from->is_poisoned, [&] { to = minimum(from, 50) * from + 1; })) return;
        model_[i] = std::make_shared<Contents>();
        return apply(*read_from, *model_[i], false, [](auto a, auto) { return std::min<std::int64_t>(a, 50) * a + 1; });
      case 11:  // another name
        to = from;
        model_[i] = read_from;
        return;
      case 12:  // a failure
        scheduler().submit(writes(to.var()), [] { throw std::runtime_error("as it should"); });
        written->is_poisoned = true;
        return;
      case 13: {  // a cancelled op
        std::stop_source stop;
        stop.request_stop();
        scheduler().submit(writes(to.var()), [] {}, {.stop = stop.get_token()});
        written->is_poisoned = true;
        return;
      }
      case 14: {  // a scheduler ends, and another one begins
        auto& ending = schedulers_[any_scheduler()];
        ending.reset();
        ending.emplace(random_options(random_, permutes_));
        return;
      }
      default:  // a scope within a coroutine
        static_cast<void>(assign_in_scope(scheduler(), from, to, number));
        for (auto& each : schedulers_) each->wait_all();  // until then nobody knows what it will assign
        return apply(*read_from, *written, false, [&](auto a, auto) { return a + number; });
    }
  }

  Random random_;
  bool permutes_;
  std::string trail_;
  std::vector<Vector> names_;
  std::vector<std::shared_ptr<Contents>> model_;
  std::optional<Scheduler> schedulers_[2];
};

void run_programs(std::uint64_t first, std::uint64_t programs) {
  for (std::uint64_t seed = first; seed < first + programs; ++seed) {
    Program(seed).run(40);
    if (Random::repeats_one_case()) return;
  }
}

}  // namespace

TEST_CASE("random programs of arrays, ops and schedulers") { run_programs(1, is_sanitized ? 100 : 2000); }
TEST_CASE("random programs of arrays, ops and schedulers, many of them" * doctest::test_suite("long") *
          doctest::skip(std::getenv("TESSERA_TEST_SCALE") == nullptr)) {
  run_programs(1'000'000, 100'000);
}
