module;
#include <cstddef>
export module tessera.expr:gpu_writer;
import tessera.standard;
import tessera.core;
import tessera.device;
import :blocks;
import :gpu_variant;

// Writing CUDA text: what kernels of every kind have in common.
namespace tessera::plan {

/// The parts of a kernel's text. Operands are numbered: the target, then the leaves; i0, i1, ... are positions along the axes.
class KernelWriter {
 public:
  KernelWriter(const DeviceElement& element, const DeviceVariant& variant) : element_(element), variant_(variant) {}

 protected:
  std::size_t operands() const { return variant_.access.size(); }
  std::string type_of(std::size_t operand) const;
  /// The compute type of a leaf.
  std::string value_type(std::size_t leaf) const;
  static std::string stride_name(std::size_t operand, int axis);
  std::string address(std::size_t operand) const;

  void write_types();
  /// The beginning of the arguments, and the scalars among them with the indent and the alignment of what follows.
  void write_pointers();
  void write_scalars();
  /// All arguments of a kernel that stores every element: the members that `sizes` declares stand between the scalars and the strides.
  void write_arguments(const std::string& sizes);
  /// The members of a struct that an extent and its divisor are.
  static std::string divisor_members(const std::string& name);
  /// The quotient of a number by an extent among the arguments.
  static std::string quotient(const std::string& number, const std::string& name);
  /// i<first>, ...: the position along axes [first, last) of what has this number among them.
  void write_positions(int first, int last, const std::string& number, const std::string& indent);
  /// The function that computes one value from those of the leaves.
  void write_element();
  /// The value of a leaf: of the one that has it already, or loaded from this address.
  std::string value_of(std::size_t operand, const std::string& address) const;
  /// The value of a leaf at this address.
  std::string loaded(std::size_t operand, const std::string& address) const;
  void write_load(std::size_t operand);

  const DeviceElement& element_;
  const DeviceVariant& variant_;
  std::string text_;
};

/// What finds quotients by an extent: the members behind that of divisor_members.
void put_divisor(device::launching::Arguments& arguments, std::ptrdiff_t extent, bool wide);

/// Where each operand begins: its address, or the position of its first element if it is generated.
void put_operands(device::launching::Arguments& arguments, std::span<const Operand> operands);

/// `count` scalars, each in a slot of its own.
void put_scalars(device::launching::Arguments& arguments, std::span<const std::byte> scalars, std::size_t count);

}  // namespace tessera::plan
