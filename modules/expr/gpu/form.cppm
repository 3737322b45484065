module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:gpu_form;
import tessera.standard;
import tessera.core;
import tessera.device;
import :plan;
import :elementwise;
import :expression_name;
import :gpu_variant;
import :gpu_folding;
import :normalising;

// What evaluation by a device knows of an expression's type, and the kernels that it has made of it so far.
namespace tessera::plan {

/// What a kernel does with the values of an expression.
enum class DeviceTask : std::uint8_t { store, fold, merge, normalise };

/// Which of an expression's normalising kernels is meant.
struct NormalisingKey {
  NormaliseOp op = NormaliseOp::softmax;
  NormaliseStage stage = NormaliseStage::whole;
  int threads = 0;
  int held = 0;
  const DeviceForm* inner = nullptr;  // what is normalised

  friend bool operator==(const NormalisingKey&, const NormalisingKey&) = default;
};

/// One of an expression's kernels: for which arrays, and what it does.
struct DeviceKernelKey {
  DeviceVariant variant{};
  DeviceTask task = DeviceTask::store;
  FoldKernel fold{};
  NormalisingKey normalising{};
  GpuPlace place{};

  friend bool operator==(const DeviceKernelKey&, const DeviceKernelKey&) = default;
};

/// A kernel that has been compiled and loaded; they make up a list that only grows.
struct LoadedKernel {
  DeviceKernelKey key{};
  const device::Kernel* kernel = nullptr;
  const LoadedKernel* next = nullptr;
};

/// One entry of an expression in postfix order: a leaf, a scalar, or an operation on the values of those before it.
struct DeviceOperation {
  enum class Kind : std::uint8_t { missing, leaf, scalar, generated, map };

  Kind kind = Kind::missing;
  std::int8_t arguments = 0;
  std::int8_t common = -1;        // the DType that all arguments take first, if there is one
  DType value = DType::boolean;   // of the leaf in memory, otherwise what is computed
  DType stored = DType::boolean;  // of an operation: the element type that it stands for
  const char* text = nullptr;     // with $0, $1, ... for the arguments
  const char* name = nullptr;
  const char* code = nullptr;  // what the text of a generated leaf calls
};

/// Bytes that each scalar of an expression takes.
inline constexpr std::ptrdiff_t scalar_slot = 16;

/// An expression's type, with its names erased. Forms live as long as the program.
struct DeviceForm {
  std::span<const DeviceOperation> operations;
  void (*append_scalars)(const void* node, std::byte* to);  // a slot for each; null if there are none
  ExpressionName name;
  std::atomic<const DeviceElement*> element = nullptr;  // made when it is first asked for
  std::atomic<const LoadedKernel*> kernels = nullptr;
};

/// The form's text.
const DeviceElement& element_of(DeviceForm& form);

/// The values of a node's scalars, a slot for each.
using Scalars = core::SmallVector<std::byte, 4 * scalar_slot>;
Scalars scalars_of(const DeviceForm& form, const void* node);

/// The kernel that fits the key, compiled if this process has not needed it yet; `write` makes its text. Throws DeviceError.
const device::Kernel& kernel_of_form(DeviceForm& form, const DeviceKernelKey& key,
                                     const std::function<std::string()>& write);

}  // namespace tessera::plan
