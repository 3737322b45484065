module;
#include <cstddef>
export module tessera.algorithm:multivariate;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import tessera.expr;
import :rows;
import :host_elements;
import :philox;
import :random;

// Normal vectors with a covariance.
namespace tessera::rows {

/// The lower triangular factor of a covariance, which is checked as exactly as elements of so many bytes can be: A. Cholesky's. A variance of 0
/// gives zeros.
export Array<double, 2> covariance_factor(const Array<double, 2>& covariance, std::ptrdiff_t length,
                                          std::size_t element_bytes, const std::source_location& where);

}  // namespace tessera::rows
namespace tessera::random {

template <class M, class S>
concept NormalVectors = Operand<M> && Floating<value_of<M>> && (rank_of<M> == 1) && Operand<S> &&
                        Floating<value_of<S>> && (rank_of<S> == 2);

/// `count` normal vectors with the mean (n) and the covariance (n, n), which may be semi-definite: of shape (count, n), in the type of the
/// mean. The covariance is factored at once, on the host, in n^3 / 6 multiplications. Throws std::invalid_argument for a covariance that is not
/// symmetric or not positive semi-definite, ShapeError for shapes that do not fit, PlaceError for a covariance that the host cannot read.
export template <class M, class S>
  requires NormalVectors<M, S>
auto multivariate_normal(Key key, std::ptrdiff_t count, M&& mean, const S& covariance,
                         std::source_location where = std::source_location::current()) {
  using T = value_of<M>;
  const std::ptrdiff_t n = mean.shape()[0];
  const Array<double, 2> factor = rows::covariance_factor(
      rows::on_host<double>(cast<double>(covariance), {"random::multivariate_normal", "covariance", where}), n,
      sizeof(value_of<S>), where);
  const Array<T, 2> transposed = cast<T>(factor.T());
  const auto moved = transposed.to(rows::elements_of(mean).place());
  return dot(normal<T>(key, Dim<2>{count, n}), moved) + std::forward<M>(mean);
}

}  // namespace tessera::random
