// Fused elementwise work in Tessera, the copy that is its ceiling, and what enqueuing an expression costs the host.
#include "harness.hpp"

import tessera;

#include "tessera_arrays.hpp"

using namespace tessera;

namespace bench {

namespace {

template <class T>
std::int64_t bytes_of(const Request& request) {
  return request.count() * static_cast<std::int64_t>(sizeof(T));
}

/// One copy by the driver, from one array to another.
Work copying(const Request& request) {
  struct Set {
    OnGpu<float, 1> from, to;
  };
  const Dim shape{request.count()};
  const std::int64_t bytes = bytes_of<float>(request);
  return rotate(
      request, 2 * bytes, [&] { return Set{numbers<float>(shape, 1), poisoned<float>(shape)}; },
      [bytes](const Set& s) {
        device::copy_async(s.to.data(), gpu, s.from.data(), gpu, bytes, device::Stream::current(gpu));
      },
      [](const Set& s) { return samples(s.to); });
}

template <class T>
Work sgd(const Request& request) {
  struct Set {
    OnGpu<T, 1> p, g;
  };
  const Dim shape{request.count()};
  return rotate(
      request, 2 * bytes_of<T>(request), [&] { return Set{numbers<T>(shape, 1), numbers<T>(shape, 2)}; },
      [](Set& s) { s.p -= rate * (s.g + decay * s.p); }, [](const Set& s) { return samples(s.p); });
}

/// Two assignments, so two kernels.
template <class T>
Work sgd_momentum(const Request& request) {
  struct Set {
    OnGpu<T, 1> p, g, v;
  };
  const Dim shape{request.count()};
  return rotate(
      request, 3 * bytes_of<T>(request),
      [&] { return Set{numbers<T>(shape, 1), numbers<T>(shape, 2), numbers<T>(shape, 3)}; },
      [](Set& s) {
        s.v = momentum * s.v + (s.g + decay * s.p);
        s.p -= rate * s.v;
      },
      [](const Set& s) { return samples(s.p); });
}

template <class T>
Work bias_relu(const Request& request) {
  struct Set {
    OnGpu<T, 2> x;
    OnGpu<T, 1> bias;
    OnGpu<T, 2> y;
  };
  const Dim shape{request.rows, request.columns};
  return rotate(
      request, 2 * bytes_of<T>(request),
      [&] {
        return Set{numbers<T>(shape, 1), made_of<T>(Dim{request.columns}, 2, [](float x) { return x - 1.0f; }),
                   poisoned<T>(shape)};
      },
      [](Set& s) { s.y = relu(s.x + s.bias); }, [](const Set& s) { return samples(s.y); });
}

/// The price of a European call option as a formula of arrays.
auto call_formula(const OnGpu<float, 1>& price, const OnGpu<float, 1>& strike, const OnGpu<float, 1>& years) {
  const auto normal = [](auto x) { return 0.5f * erfc(-0.70710678f * x); };
  const auto spread = volatility * sqrt(years);
  const auto d1 = (log(price / strike) + (interest + 0.5f * volatility * volatility) * years) / spread;
  return price * normal(d1) - strike * exp(-interest * years) * normal(d1 - spread);
}

/// The same as one operation of the user's, which reads each operand once whatever the formula repeats.
struct CallPrice {
  static constexpr const char* device =
      "$0 * 0.5f * erfc(-0.70710678f * ((log($0 / $1) + 0.065f * $2) / (0.3f * sqrt($2))))"
      " - $1 * exp(-0.02f * $2) * 0.5f *"
      " erfc(-0.70710678f * ((log($0 / $1) + 0.065f * $2) / (0.3f * sqrt($2)) - 0.3f * sqrt($2)))";
  static float map(float price, float strike, float years) {
    const float spread = volatility * std::sqrt(years);
    const float d1 = (std::log(price / strike) + (interest + 0.5f * volatility * volatility) * years) / spread;
    return price * 0.5f * std::erfc(-0.70710678f * d1) -
           strike * std::exp(-interest * years) * 0.5f * std::erfc(-0.70710678f * (d1 - spread));
  }
};

template <class Formula>
Work option_prices(const Request& request, const Formula& formula) {
  struct Set {
    OnGpu<float, 1> price, strike, years, call;
  };
  const Dim shape{request.count()};
  return rotate(
      request, 4 * bytes_of<float>(request),
      [&] {
        return Set{made_of<float>(shape, 1, price_of), made_of<float>(shape, 2, price_of),
                   made_of<float>(shape, 3, years_of), poisoned<float>(shape)};
      },
      [formula](Set& s) { s.call = formula(s.price, s.strike, s.years); },
      [](const Set& s) { return samples(s.call); });
}

Work black_scholes(const Request& request) {
  return option_prices(request, [](const auto&... operands) { return call_formula(operands...); });
}
Work black_scholes_operation(const Request& request) {
  return option_prices(request, [](const auto&... operands) { return F<CallPrice>(operands...); });
}

/// c = a + 2 b, few elements: only the host's time counts.
Work launching(const Request& request) {
  struct Set {
    OnGpu<float, 1> a, b, c;
  };
  const Dim shape{request.count()};
  return rotate(
      request, std::numeric_limits<std::int64_t>::max(),
      [&] { return Set{numbers<float>(shape, 1), numbers<float>(shape, 2), poisoned<float>(shape)}; },
      [](Set& s) { s.c = s.a + 2.0f * s.b; }, [](const Set& s) { return samples(s.c); });
}

}  // namespace

std::vector<Kernel> elementwise_kernels() {
  return {{"copy", "f32", copying},
          {"sgd", "f32", sgd<float>},
          {"sgd", "bf16", sgd<bfloat16>},
          {"sgd_momentum", "f32", sgd_momentum<float>},
          {"bias_relu", "f32", bias_relu<float>},
          {"bias_relu", "bf16", bias_relu<bfloat16>},
          {"black_scholes", "f32", black_scholes},
          {"black_scholes_operation", "f32", black_scholes_operation},
          {"launch", "f32", launching, Clock::enqueued}};
}

}  // namespace bench
