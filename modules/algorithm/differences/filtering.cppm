module;
#include <cstddef>
#include <cstdint>
export module tessera.algorithm:filtering;
import tessera.standard;
import tessera.core;
import :rows;
import :host_elements;

// Convolution and interpolation of vectors, for element types that are known at run time.
namespace tessera::filtering {

/// Elements [first, first + count) of the convolution of two vectors of uint64, float, double or a complex type, where `a` is not shorter. Writes
/// to `to`, which shares no memory with them.
void convolve(const rows::Vector& a, const rows::Vector& b, std::ptrdiff_t first, std::ptrdiff_t count, void* to);

/// Throws ShapeError for a vector without elements.
void require_elements(std::ptrdiff_t size, const rows::Argument& argument);

/// Points of a curve, and what is beyond its ends.
struct Curve {
  const double* x;
  const double* y;
  std::ptrdiff_t size;
  double left, right;
};
/// Throws ShapeError unless there are points, of which each has both coordinates, std::invalid_argument for x that descend.
void require_curve(const Curve& curve, std::ptrdiff_t ordinates, const rows::Argument& argument);
/// Writes the curve's ordinate at each of `count` abscissas. Throws OutOfMemory before anything is written.
void interpolate(const Curve& curve, const double* at, std::ptrdiff_t count, double* to);

}  // namespace tessera::filtering
