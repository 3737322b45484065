// Includes nothing: what values of a user's have in common with the library's interfaces can be named after the import alone.
import tessera;

using namespace tessera;
using namespace std::complex_literals;

tessera::Op add(Scheduler&, Array<float, 1> a, float value) {
  co_await access(writes(a.var()));
  a[{0}] = a[{0}] + value;
}

int main() {
  // --8<-- [start:names]
  const std::complex<float> z{3.0f, 4.0f};
  Array<std::complex<float>, 1> a = zeros<std::complex<float>>(Dim{2});
  a = a + z;
  // --8<-- [end:names]
  if (a[{1}] != z || std::abs(z) != 5.0f || std::conj(z).imag() != -4.0f || 2.0i * 2.0i != -4.0) return 1;

  const std::array pair{1, 2};
  const auto [first, second] = pair;
  int third = 0;
  std::tie(third, std::ignore) = std::make_tuple(first + second, 0);
  const std::tuple<int, float> both{third, 0.5f};
  if (std::get<0>(both) != 3 || std::tuple_size_v<decltype(both)> != 2) return 2;

  const std::vector numbers{1.0f, 2.0f};
  float sum = 0.0f;
#if __clang_major__ >= 22
  for (const float number : numbers) sum += number;
#else
  // Its iterators are compared by functions from <vector>.
  for (std::size_t i = 0; i < numbers.size(); ++i) sum += numbers[i];
#endif
  if (sum != 3.0f) return 3;

  Array<float, 1> b = make_array(numbers, CpuPlace{});
  Scheduler scheduler;
  static_cast<void>(add(scheduler, b, 4.0f));
  scheduler.wait_all();
  return b[{0}] == 5.0f && to_string(b.shape()) == std::string("(2,)") ? 0 : 4;
}
