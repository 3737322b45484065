module;
#include <cstddef>
export module tessera.expr:gpu_kernel;
import tessera.standard;
import tessera.core;
import :gpu_variant;

// The CUDA kernel around the elementwise work of an expression: its arguments and how it walks the operands.
namespace tessera::plan {

/// The text of the kernel `tessera_kernel` and of its arguments, `struct tessera_arguments`; device_support() goes before it.
std::string device_kernel(const DeviceElement& element, const DeviceVariant& variant);

/// What the text of a kernel that stores elements of type `target` needs before it: the code of operations and of elements in memory.
std::string device_support(const DeviceElement& element, DType target);

}  // namespace tessera::plan
