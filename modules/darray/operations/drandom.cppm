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

}  // namespace tessera::random
