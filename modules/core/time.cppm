export module tessera.core:time;
import tessera.standard;

// Points in time that no duration overflows.
namespace tessera::core {

/// `duration` from now, rounded up to the clock's ticks: the clock's last point in time for whatever lies beyond it, now for durations that
/// are not positive and for NaN.
export template <class Rep, class Period>
std::chrono::steady_clock::time_point time_after(const std::chrono::duration<Rep, Period>& duration) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<long double>;
  const Clock::time_point now = Clock::now();
  if (!(duration > duration.zero())) return now;
  if (Seconds(duration) >= Seconds(Clock::time_point::max() - now)) return Clock::time_point::max();
  return now + std::chrono::ceil<Clock::duration>(duration);
}

}  // namespace tessera::core
