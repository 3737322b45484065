module;
#include <cstdint>
export module tessera.darray:drandom;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.algorithm;
import :handle;

// Random numbers of a type that is known at run time.
namespace tessera::random {

/// Uniform numbers in [0, 1), those of the function for arrays: an element depends on the key, its row-major position and the type. Throws
/// DTypeError for types that are not floating, ShapeError, OutOfMemory.
export DArray uniform(Key key, DType dtype, const DDim& shape, Place place = {});

/// Normal numbers with mean 0 and variance 1. Throws as uniform().
export DArray normal(Key key, DType dtype, const DDim& shape, Place place = {});

/// Exponential numbers with mean 1. Throws as uniform().
export DArray exponential(Key key, DType dtype, const DDim& shape, Place place = {});

/// Laplace's double exponential numbers with mean 0 and variance 2. Throws as uniform().
export DArray laplace(Key key, DType dtype, const DDim& shape, Place place = {});

/// Gumbel's numbers for maxima, with location 0 and scale 1. Throws as uniform().
export DArray gumbel(Key key, DType dtype, const DDim& shape, Place place = {});

/// Logistic numbers with mean 0 and scale 1. Throws as uniform().
export DArray logistic(Key key, DType dtype, const DDim& shape, Place place = {});

/// Integers in [low, high). Throws std::invalid_argument as the function for arrays, DTypeError for types that are not integers, and if the
/// type does not hold low and high - 1, ShapeError, OutOfMemory.
export DArray integers(Key key, DType dtype, const DDim& shape, std::int64_t low, std::int64_t high, Place place = {},
                       std::source_location where = std::source_location::current());

}  // namespace tessera::random
