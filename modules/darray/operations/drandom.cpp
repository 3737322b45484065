module;
#include <cstdint>
#include <source_location>
#include <string>
#include <utility>
module tessera.darray;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import tessera.algorithm;

// Random numbers as vectors of each floating type, which are then seen in their shape.
namespace tessera::random {

namespace {

template <class Numbers>
DArray filled(const char* operation, DType dtype, const DDim& shape, Place place, const Numbers& numbers) {
  const DArray result(shape, dtype, place);
  const DArray flat = result.flatten();
  dynamic::with_element(dtype, [&]<class T>() {
    if constexpr (Floating<T>) {
      assign(get<Array<T, 1>>(flat), numbers.template operator()<T>(Dim<1>{flat.size()}));
    } else {
      dynamic::throw_dtype(operation, dtype_of<T>, "a floating type");
    }
  });
  return result;
}

}  // namespace

DArray uniform(Key key, DType dtype, const DDim& shape, Place place) {
  return filled("random::uniform", dtype, shape, place,
                [&]<class T>(const Dim<1>& count) { return uniform<T>(key, count); });
}

DArray normal(Key key, DType dtype, const DDim& shape, Place place) {
  return filled("random::normal", dtype, shape, place,
                [&]<class T>(const Dim<1>& count) { return normal<T>(key, count); });
}

DArray exponential(Key key, DType dtype, const DDim& shape, Place place) {
  return filled("random::exponential", dtype, shape, place,
                [&]<class T>(const Dim<1>& count) { return exponential<T>(key, count); });
}

DArray laplace(Key key, DType dtype, const DDim& shape, Place place) {
  return filled("random::laplace", dtype, shape, place,
                [&]<class T>(const Dim<1>& count) { return laplace<T>(key, count); });
}

DArray gumbel(Key key, DType dtype, const DDim& shape, Place place) {
  return filled("random::gumbel", dtype, shape, place,
                [&]<class T>(const Dim<1>& count) { return gumbel<T>(key, count); });
}

DArray logistic(Key key, DType dtype, const DDim& shape, Place place) {
  return filled("random::logistic", dtype, shape, place,
                [&]<class T>(const Dim<1>& count) { return logistic<T>(key, count); });
}

DArray integers(Key key, DType dtype, const DDim& shape, std::int64_t low, std::int64_t high, Place place,
                std::source_location where) {
  const DArray result(shape, dtype, place);
  const DArray flat = result.flatten();
  const auto drawn = integers<std::int64_t>(key, Dim<1>{flat.size()}, low, high, where);
  dynamic::with_element(dtype, [&]<class T>() {
    if constexpr (Integer<T>) {
      if (low < high && !(std::in_range<T>(low) && std::in_range<T>(high - 1))) {
        throw DTypeError(to_string(Failure{.operation = "random::integers",
                                           .problem = std::string(name(dtype)) + " does not hold all of [" +
                                                      std::to_string(low) + ", " + std::to_string(high) + ")",
                                           .advice = "draw integers of a wider type",
                                           .where = where}));
      }
      assign(get<Array<T, 1>>(flat), cast<T>(drawn));
    } else {
      dynamic::throw_dtype("random::integers", dtype_of<T>, "an integer type");
    }
  });
  return result;
}

}  // namespace tessera::random
