module;
#include <cstddef>
#include <cstdint>
export module tessera.schedule:timeline_bars;
import tessera.standard;
import :trace_record;
import :trace_lanes;

// The boxes of a timeline: one for each op that is wide enough to be seen, one for each crowd of smaller ones.
namespace tessera {

/// From times to pixels.
struct TimeScale {
  std::int64_t begin = 0;
  double pixels_a_nanosecond = 1;

  double operator()(std::int64_t time) const { return static_cast<double>(time - begin) * pixels_a_nanosecond; }
};

/// One op, or several that are drawn together.
struct Bar {
  const OpRecord* first = nullptr;
  std::size_t row = 0;
  std::int64_t start = 0;
  std::int64_t end = 0;
  std::int64_t busy = 0;                    ///< the time of all its ops together
  std::array<std::size_t, 4> by_outcome{};  ///< how many ops ended how

  std::size_t ops() const { return by_outcome[0] + by_outcome[1] + by_outcome[2] + by_outcome[3]; }

  /// The worst one of its ops' outcomes: a failure never hides in a crowd.
  Outcome outcome() const;
};

/// The boxes of a lane, row by row each by start. Ops of rows that are not below `most_rows` share the last one.
std::vector<Bar> bars_of(const Lane& lane, const TimeScale& scale, std::size_t most_rows);

}  // namespace tessera
