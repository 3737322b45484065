module;
#include <cstddef>
#include <cstring>
export module tessera.expr:device_launch;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;
import :lowering;
import :elementwise;
import :node;
import :map;
import :assign;
import :gpu_variant;
import :gpu_form;
import :device_source;

// An assignment as one kernel: its CUDA text and the bytes of its arguments.
namespace tessera {

/// The elementwise work of `destination = source` as a kernel for CUDA. Reductions and products in it are computed first and live
/// as long as this object; so must the destination. Throws DTypeError for an operation without device text.
export class DeviceLaunch {
 public:
  enum class Indices { as_needed, wide };

  template <Elements D, class S>
    requires AssignableSource<S, typename D::value_type, D::rank, typename D::place_type>
  DeviceLaunch(const D& destination, const S& source, Indices indices = Indices::as_needed) {
    using T = typename D::value_type;
    const auto& node = as_assigned_node<T>(source);
    using Node = std::remove_cvref_t<decltype(node)>;
    const plan::DeviceElement& element = plan::element_of(device_form<Node>);
    if (element.missing != nullptr) plan::throw_no_device_text(element.missing);
    storage_.resize(Node::leaf_count + 1);
    lowering_.emplace(std::span(storage_), destination.shape().extents(), destination.place(), plan::Fusion::none);
    node.lower(*lowering_);
    const plan::Scalars scalars = plan::scalars_of(device_form<Node>, &node);
    plan::Operand target = plan::operand_at(destination.data(), sizeof(T));
    for (std::size_t axis = 0; axis < static_cast<std::size_t>(D::rank); ++axis)
      target.strides[axis] = destination.strides()[axis];
    prepare(element, target, dtype_of<T>, scalars, indices);
  }
  DeviceLaunch(const DeviceLaunch&) = delete;
  DeviceLaunch& operator=(const DeviceLaunch&) = delete;

  /// The kernel `tessera_kernel`, without the code that all kernels share; empty when there are no elements.
  const std::string& kernel() const { return kernel_; }
  /// The code before the kernel.
  const std::string& support() const { return support_; }
  /// What the kernel takes: the bytes of its `tessera_arguments`.
  std::span<const std::byte> arguments() const { return arguments_; }
  /// Threads of a block that the kernel needs; 0 if any number is right.
  int block_threads() const { return block_threads_; }
  /// "rank 1, 32-bit indices, 4 elements an access: y unit stride, x0 constant"
  const std::string& variant() const { return variant_; }

 private:
  void prepare(const plan::DeviceElement& element, const plan::Operand& target, DType dtype,
               std::span<const std::byte> scalars, Indices indices);

  std::vector<plan::Operand> storage_;
  std::optional<plan::Lowering> lowering_;  // keeps intermediate results
  std::string kernel_, support_, variant_;
  std::vector<std::byte> arguments_;
  int block_threads_ = 0;
};

}  // namespace tessera
