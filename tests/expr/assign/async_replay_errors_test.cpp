// What is refused and what fails in recorded assignments whose arrays and scalars change.

#include <stdexcept>
#include <utility>

#include "replays.hpp"

using namespace replays;

namespace {

struct Failing {
  static float map(float x) {
    if (x > 2) throw std::runtime_error("element above 2");
    return x;
  }
};

}  // namespace

TEST_CASE("a replay refuses arrays that the recording was not made for, and nothing has run then") {
  Scheduler scheduler({.workers = 2});
  Matrix out = zeros<float>(Dim{2, 3});
  int ran = 0;
  const auto step = scheduler.capture(
      [&](Parameter<Matrix> in, Parameter<Matrix> to) {
        const Async on{scheduler};
        scheduler.submit(writes(out.var()), [&] { ++ran; });
        out = in + 1;
        to = in + 0;
      },
      {.name = "step"}, out, out);
  const Matrix good = ones<float>(Dim{2, 3});
  const Matrix wide = ones<float>(Dim{2, 4});
  const std::string shape = message_of<ShapeError>([&] { step.replay(wide, good); });
  CHECK_MESSAGE(contains(shape, "replay of 'step': parameter 0 has the shape (2, 4)"), shape);
  CHECK_MESSAGE(contains(shape, "recorded for (2, 3)"), shape);
  CHECK_MESSAGE(contains(shape, "async_replay_errors_test.cpp"), shape);
  CHECK_THROWS_AS(step.replay(good, Matrix(Dim{2, 1})), ShapeError);
  std::vector<float> pinned(6);
  const Matrix elsewhere(storage::BufferShare::make(memory::Allocation::borrow(pinned.data(), 24, PinnedPlace{})),
                         Layout<2>{.shape = Dim{2, 3}, .strides = {3, 1}}, PinnedPlace{});
  const std::string place = message_of<PlaceError>([&] { step.replay(elsewhere, good); });
  CHECK_MESSAGE(contains(place, "parameter 0 is on pinned, and its expressions were recorded for cpu"), place);
  Matrix moved = ones<float>(Dim{2, 3});
  const Matrix taken = std::move(moved);
  const std::string empty = message_of<ShapeError>([&] { step.replay(good, moved); });
  CHECK_MESSAGE(contains(empty, "parameter 1 is an array without storage"), empty);
  scheduler.wait_all();
  CHECK(ran == 0);
  CHECK(elements(out) == std::vector<float>(6, 0.0f));
  step.replay(good.clone(), good);
  CHECK(elements(out) == std::vector<float>(6, 2.0f));
  CHECK(ran == 1);
}

TEST_CASE("shapes are checked while the step is recorded") {
  Scheduler scheduler({.workers = 1});
  Matrix out(Dim{2, 3});
  const Matrix square(Dim{3, 3});
  CHECK_THROWS_AS(scheduler.capture(
                      [&](Parameter<Matrix> in) {
                        const Async on{scheduler};
                        out = matmul(in, out);
                      },
                      square(range(0, 2), all)),
                  ShapeError);
  CHECK_THROWS_AS(scheduler.capture(
                      [&](Parameter<Matrix> to) {
                        const Async on{scheduler};
                        to = out + 1;
                      },
                      square),
                  ShapeError);
  CHECK_THROWS_AS(scheduler.capture(
                      [&](Parameter<Matrix> to) {
                        const Async on{scheduler};
                        out(ellipsis) = to(5, all);
                      },
                      square),
                  IndexError);
}

TEST_CASE("what cannot be done with a parameter while its step is recorded is told") {
  Scheduler scheduler({.workers = 1}), other({.workers = 1});
  Array<float, 1> out = ones<float>(Dim{3}), example = ones<float>(Dim{3});
  using Vector = Array<float, 1>;
  const auto said = [&](const auto& body) {
    return message_of<SchedulerError>(
        [&] { scheduler.capture([&](Parameter<Vector> in, Parameter<float> s) { body(in, s); }, example); });
  };
  const auto check = [](const std::string& message, const std::string& part) {
    CHECK_MESSAGE(contains(message, part), message);
  };
  check(said([&](auto in, auto) { static_cast<void>(in.value()[{0}]); }), "has no value while its capture is recorded");
  check(said([&](auto, auto s) { static_cast<void>(s.value()); }), "has no value while its capture is recorded");
  check(said([&](auto in, auto) { out = in + 1; }), "assign within an Async scope");
  check(said([&](auto, auto s) { out = out * s; }), "assign within an Async scope");
  check(said([&](auto in, auto) { in = out + 1; }), "cannot be computed now");
  check(said([&](auto in, auto) { static_cast<void>(evaluate(sum(in))); }), "assign within an Async scope");
  check(said([&](auto in, auto) {
          const Async on{other};
          out = in + 1;
        }),
        "another scheduler");
  check(said([&](auto in, auto) {
          const Async on{scheduler};
          out = in + make_view(example);
        }),
        "assign within an Async scope");
  check(message_of<SchedulerError>([&] {
          scheduler.capture([&](Parameter<Vector> in) {
            const Async on{scheduler};
            out = in + 1;
          });
        }),
        "give capture() an example of each array behind the body");
  CHECK(elements(out) == std::vector<float>(3, 1.0f));
}

TEST_CASE("a parameter means nothing outside of its recording") {
  Scheduler scheduler({.workers = 1});
  Array<float, 1> out = ones<float>(Dim{3});
  std::vector<Parameter<float>> kept;
  std::vector<Parameter<Array<float, 1>>> arrays;
  const auto step = scheduler.capture(
      [&](Parameter<float> s, Parameter<Array<float, 1>> a) {
        kept.push_back(s);
        arrays.push_back(a);
        const Async on{scheduler};
        out = a * s;
      },
      1.0f, out);
  const Async on{scheduler};
  CHECK_THROWS_AS(out = out * kept[0], SchedulerError);
  CHECK_THROWS_AS(out = out * -kept[0], SchedulerError);
  CHECK_THROWS_AS(out = arrays[0] + 1, SchedulerError);
  CHECK_THROWS_AS(arrays[0] = out + 1, SchedulerError);
  CHECK(elements(out) == std::vector<float>(3, 1.0f));
}

TEST_CASE("a failure poisons what its own replay was given, and names the expression") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    using Vector = Array<float, 1>;
    const Vector good = ones<float>(Dim{3}), bad = full(Dim{3}, 3.0f);
    const auto step = scheduler.capture(
        [&](Parameter<Vector> in, Parameter<Vector> middle, Parameter<Vector> out) {
          const Async on{scheduler};
          middle = F<Failing>(in) + 1;
          out = middle * 2;
        },
        good, good, good);
    Vector a(Dim{3}), b(Dim{3}), c(Dim{3}), d(Dim{3});
    step.replay(good, a, b);
    step.replay(bad, c, d);
    Vector e(Dim{3});
    step.replay(good, e, Vector(Dim{3}));
    CHECK(elements(b) == std::vector<float>(3, 4.0f));
    CHECK(elements(e) == std::vector<float>(3, 2.0f));
    for (const Vector* poisoned : {&c, &d}) {
      const std::string message = message_of<OperationFailed>([&] { static_cast<void>((*poisoned)[{0}]); });
      CHECK_MESSAGE(contains(message, "failing(a) + s"), message);
      CHECK_MESSAGE(contains(message, "async_replay_errors_test.cpp"), message);
      CHECK_MESSAGE(contains(message, "element above 2"), message);
    }
    step.replay(c, a, b);  // reads what is poisoned
    CHECK_THROWS_AS(a.wait(), OperationFailed);
    step.replay(good, c, d);  // rewrites it
    CHECK(elements(d) == std::vector<float>(3, 4.0f));
    CHECK(elements(c) == std::vector<float>(3, 2.0f));
  }
}

TEST_CASE("rewriting a part of a poisoned array does not heal it") {
  for (const SchedulerOptions& options : executors()) {
    Scheduler scheduler(options);
    using Vector = Array<float, 1>;
    const Vector good = ones<float>(Dim{2}), bad = full(Dim{4}, 3.0f);
    const auto step = scheduler.capture(
        [&](Parameter<Vector> out, Parameter<float> value) {
          const Async on{scheduler};
          out = value;
        },
        good);
    Vector whole(Dim{4});
    {
      const Async on{scheduler};
      whole = F<Failing>(bad) * 2;
    }
    step.replay(whole(range(1, 3)), 5.0f);
    const std::string message = message_of<OperationFailed>([&] { whole.wait(); });
    CHECK_MESSAGE(contains(message, "element above 2"), message);
    whole = 0;
    step.replay(whole(range(1, 3)), 5.0f);
    CHECK(elements(whole) == std::vector<float>{0, 5, 5, 0});
  }
}
