export module tessera.expr:device_program;
import tessera.standard;
import tessera.core;
import :plan;
import :gpu_form;
import :program;

// Programs as the expressions of GPU kernels.
namespace tessera::dynamic {

/// What a GPU computes of a program, and which of its leaves the kernel reads, in the kernel's order. Programs of the same steps and
/// types have one form, and so one kernel for each way in which their operands lie in memory. It is valid as long as the expression.
struct DeviceProgram {
  plan::DeviceWork work;
  std::vector<std::uint16_t> leaves;
};

/// For elements of type `written`. Throws std::bad_alloc.
DeviceProgram device_program(const DExpression& expression, DType written);

}  // namespace tessera::dynamic
