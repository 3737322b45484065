module;
#include <cstddef>
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

/// A new array that numbers(Dim<1>, T) fills, as a vector, for each floating type.
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

/// Calls draw<float>(array) or draw<double>(array) with a new array. Numbers of 16 bits are those of float, rounded.
template <class Draw>
DArray drawn(const char* operation, DType dtype, const DDim& shape, Place place, const Draw& draw) {
  if (kind(dtype) != Kind::floating) dynamic::throw_dtype(operation, dtype, "a floating type");
  const DArray result(shape, dtype == DType::float64 ? DType::float64 : DType::float32, place);
  if (dtype == DType::float64) {
    draw(get<Array<double, 1>>(result.flatten()));
  } else {
    draw(get<Array<float, 1>>(result.flatten()));
  }
  return result.dtype() == dtype ? result : result.cast(dtype);
}

/// Parameters as a function of a distribution takes them: numbers, or, if one is an array, vectors of the type C, one value for each number.
template <Element C, class Draw, class... Parameters>
auto with_parameters(const DDim& shape, Place place, const Draw& draw, const Parameters&... parameters) {
  if ((parameters.is_number() && ...)) return draw(parameters.number()...);
  const auto vector = [&](const DParameter& parameter) -> Array<C, 1> {
    const DArray values = parameter.is_number() ? full(dtype_of<C>, shape, static_cast<C>(parameter.number()), place)
                                                : parameter.array().cast(dtype_of<C>).broadcast_to(shape);
    return get<Array<C, 1>>(values.flatten());
  };
  return draw(vector(parameters)...);
}

/// Numbers of a distribution with parameters.
template <class Numbers, class... Parameters>
DArray filled_by(const char* operation, DType dtype, const DDim& shape, Place place, const Numbers& numbers,
                 const Parameters&... parameters) {
  return drawn(operation, dtype, shape, place, [&]<class T>(const Array<T, 1>& flat) {
    const auto draw = [&](const auto&... values) {
      assign(flat, numbers.template operator()<T>(flat.shape(), values...));
    };
    with_parameters<T>(shape, place, draw, parameters...);
  });
}

/// Counts, drawn as doubles and converted.
template <class Numbers, class... Parameters>
DArray counted_by(const char* operation, DType dtype, const DDim& shape, Place place, const Numbers& numbers,
                  const Parameters&... parameters) {
  if (dtype == DType::boolean || kind(dtype) == Kind::complex)
    dynamic::throw_dtype(operation, dtype, "an integer or floating type");
  const DArray counts(shape, DType::float64, place);
  const DArray flat = counts.flatten();
  const auto draw = [&](const auto&... values) {
    assign(get<Array<double, 1>>(flat), numbers(Dim<1>{flat.size()}, values...));
  };
  with_parameters<double>(shape, place, draw, parameters...);
  return dtype == DType::float64 ? counts : counts.cast(dtype);
}

Array<double, 1> weights_of(const DArray& weights) {
  if (weights.rank() != 1) {
    throw ShapeError(to_string(Failure{.operation = "random::choice",
                                       .problem = "weights of shape " + to_string(weights.shape()),
                                       .advice = "they are a vector, one for each row"}));
  }
  return get<Array<double, 1>>(weights.cast(DType::float64));
}

std::ptrdiff_t rows_of(const char* operation, const DArray& x) {
  if (x.rank() > 0) return x.shape()[0];
  throw ShapeError(to_string(
      Failure{.operation = operation, .problem = "an array of rank 0 has no rows", .advice = "give it an axis"}));
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
  return drawn("random::exponential", dtype, shape, place,
               [&]<class T>(const Array<T, 1>& to) { assign(to, exponential<T>(key, to.shape())); });
}

DArray laplace(Key key, DType dtype, const DDim& shape, Place place) {
  return drawn("random::laplace", dtype, shape, place,
               [&]<class T>(const Array<T, 1>& to) { assign(to, laplace<T>(key, to.shape())); });
}

DArray gumbel(Key key, DType dtype, const DDim& shape, Place place) {
  return drawn("random::gumbel", dtype, shape, place,
               [&]<class T>(const Array<T, 1>& to) { assign(to, gumbel<T>(key, to.shape())); });
}

DArray logistic(Key key, DType dtype, const DDim& shape, Place place) {
  return drawn("random::logistic", dtype, shape, place,
               [&]<class T>(const Array<T, 1>& to) { assign(to, logistic<T>(key, to.shape())); });
}

DArray integers(Key key, DType dtype, const DDim& shape, std::int64_t low, std::int64_t high, Place place,
                std::source_location where) {
  dynamic::with_element(dtype, [&]<class T>() {
    if constexpr (Integer<T>) {
      if (low >= high || (std::in_range<T>(low) && std::in_range<T>(high - 1))) return;
      throw DTypeError(to_string(Failure{.operation = "random::integers",
                                         .problem = std::string(name(dtype)) + " does not hold all of [" +
                                                    std::to_string(low) + ", " + std::to_string(high) + ")",
                                         .advice = "draw integers of a wider type",
                                         .where = where}));
    } else {
      dynamic::throw_dtype("random::integers", dtype_of<T>, "an integer type");
    }
  });
  const DArray result(shape, DType::int64, place);
  const Array<std::int64_t, 1> flat = get<Array<std::int64_t, 1>>(result.flatten());
  assign(flat, integers<std::int64_t>(key, flat.shape(), low, high, where));
  return dtype == DType::int64 ? result : result.cast(dtype);
}

DArray gamma(Key key, DType dtype, const DDim& shape, const DParameter& concentration, Place place,
             std::source_location where) {
  return filled_by(
      "random::gamma", dtype, shape, place,
      [&]<class T>(const Dim<1>& count, const auto& value) { return gamma<T>(key, count, value, where); },
      concentration);
}

DArray beta(Key key, DType dtype, const DDim& shape, const DParameter& a, const DParameter& b, Place place,
            std::source_location where) {
  return filled_by(
      "random::beta", dtype, shape, place,
      [&]<class T>(const Dim<1>& count, const auto&... values) { return beta<T>(key, count, values..., where); }, a, b);
}

DArray truncated_normal(Key key, DType dtype, const DDim& shape, const DParameter& low, const DParameter& high,
                        Place place, std::source_location where) {
  return filled_by(
      "random::truncated_normal", dtype, shape, place,
      [&]<class T>(const Dim<1>& count, const auto&... values) {
        return truncated_normal<T>(key, count, values..., where);
      },
      low, high);
}

DArray poisson(Key key, DType dtype, const DDim& shape, const DParameter& rate, Place place,
               std::source_location where) {
  return counted_by(
      "random::poisson", dtype, shape, place,
      [&](const Dim<1>& count, const auto& value) { return poisson<double>(key, count, value, where); }, rate);
}

DArray binomial(Key key, DType dtype, const DDim& shape, const DParameter& trials, const DParameter& probability,
                Place place, std::source_location where) {
  return counted_by(
      "random::binomial", dtype, shape, place,
      [&](const Dim<1>& count, const auto&... values) { return binomial<double>(key, count, values..., where); },
      trials, probability);
}

DArray bernoulli(Key key, const DDim& shape, double probability, Place place, std::source_location where) {
  const DArray result(shape, DType::boolean, place);
  const DArray flat = result.flatten();
  assign(get<Array<bool, 1>>(flat), bernoulli(key, Dim<1>{flat.size()}, probability, where));
  return result;
}

DArray bits(Key key, DType dtype, const DDim& shape, Place place) {
  const DArray result(shape, dtype, place);
  const DArray flat = result.flatten();
  dynamic::with_element(dtype, [&]<class T>() {
    if constexpr (Integer<T> && std::unsigned_integral<T>) {
      assign(get<Array<T, 1>>(flat), bits<T>(key, Dim<1>{flat.size()}));
    } else {
      dynamic::throw_dtype("random::bits", dtype_of<T>, "an unsigned integer type");
    }
  });
  return result;
}

DArray labels_of(Key key, const DArray& logits) {
  if (logits.rank() == 0) {
    throw ShapeError(to_string(Failure{.operation = "random::categorical",
                                       .problem = "logits of rank 0 are no rows of labels",
                                       .advice = "give them a last axis"}));
  }
  const DType computed = logits.dtype() == DType::float64 ? DType::float64 : DType::float32;
  if (kind(logits.dtype()) != Kind::floating)
    dynamic::throw_dtype("random::categorical", logits.dtype(), "a floating type");
  return argmax(logits + gumbel(key, computed, logits.shape(), logits.place()), -1);
}

DArray shuffled(Key key, const DArray& x) { return take(x, permutation(key, rows_of("random::shuffle", x))); }

// Positions are chosen as rows of the positions themselves.
DArray chosen(Key key, const DArray& x, std::ptrdiff_t count, const ChoiceOptions& options,
              const std::source_location& where) {
  const Array<std::int64_t, 1> positions = arange<std::int64_t>(rows_of("random::choice", x));
  return take(x, choice(key, positions, count, options, where));
}

DArray chosen(Key key, const DArray& x, std::ptrdiff_t count, const DArray& weights, const ChoiceOptions& options,
              const std::source_location& where) {
  const Array<std::int64_t, 1> positions = arange<std::int64_t>(rows_of("random::choice", x));
  return take(x, choice(key, positions, count, weights_of(weights), options, where));
}

DArray normal_vectors(Key key, std::ptrdiff_t count, const DArray& mean, const DArray& covariance,
                      const std::source_location& where) {
  if (mean.rank() != 1 || covariance.rank() != 2) {
    throw ShapeError(to_string(Failure{.operation = "random::multivariate_normal",
                                       .problem = "a mean of shape " + to_string(mean.shape()) +
                                                  " and a covariance of shape " + to_string(covariance.shape()),
                                       .advice = "they are a vector and a matrix",
                                       .where = where}));
  }
  if (kind(covariance.dtype()) != Kind::floating)
    dynamic::throw_dtype("random::multivariate_normal", covariance.dtype(), "a floating type");
  if (kind(mean.dtype()) != Kind::floating)
    dynamic::throw_dtype("random::multivariate_normal", mean.dtype(), "a floating type");
  if (!covariance.place().on_host()) {
    throw PlaceError(to_string(Failure{.operation = "random::multivariate_normal",
                                       .problem = "the covariance is at " + to_string(covariance.place()),
                                       .advice = "copy it with to(CpuPlace{})",
                                       .where = where}));
  }
  const std::ptrdiff_t length = mean.shape()[0];
  const Array<double, 2> wide = get<Array<double, 2>>(covariance.cast(DType::float64).clone());
  const DArray factor = rows::covariance_factor(wide, length, item_size(covariance.dtype()), where);
  const DArray independent = normal(key, mean.dtype(), DDim(Dim<2>{count, length}), mean.place());
  return DArray(dot(independent, factor.T().cast(mean.dtype()).to(mean.place())) + mean);
}

}  // namespace tessera::random
