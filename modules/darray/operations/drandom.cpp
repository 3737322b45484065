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

}  // namespace tessera::random
