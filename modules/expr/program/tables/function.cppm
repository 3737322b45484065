module;
#include <cstdint>
export module tessera.expr:function;
import tessera.standard;
import tessera.core;
import :plan;
import :gpu_form;

// The elementwise functions as tables by element type, for expressions whose types are known at run time only.
namespace tessera::dynamic {

/// The loop of an expression, its types forgotten.
export using plan::Kernel;

/// A function for operands of one common element type: a kernel over blocks of values in their compute types. It is null where the
/// function does not take the type. `device` is the same for GPUs: its operations on leaves, each of which stands for an argument.
export struct Variant {
  Kernel kernel = nullptr;
  const void* nodes = nullptr;
  DType result = DType::boolean;
  std::span<const plan::DeviceOperation> device{};
};

/// What becomes of a C++ integer that is outside the range of the elements that it meets.
export enum class ScalarRule : std::uint8_t {
  wraps,     ///< it wraps, which is the exact result, wrapped
  fits,      ///< DTypeError
  compares,  ///< it is compared as it is written
  shifts,    ///< everything is shifted out
};

/// The functions that programs apply. The order is that of the tables.
export enum class Name : std::uint8_t {
  // arithmetic
  add,
  subtract,
  multiply,
  divide,
  modulo,
  floor_divide,
  remainder,
  negative,
  abs,
  sign,
  square,
  reciprocal,
  maximum,
  minimum,
  copysign,
  nextafter,
  floor,
  ceil,
  trunc,
  round,
  // comparisons and bits
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  bitwise_invert,
  bitwise_left_shift,
  bitwise_right_shift,
  logical_and,
  logical_or,
  logical_xor,
  logical_not,
  isnan,
  isinf,
  isfinite,
  signbit,
  where,
  // exponentials and roots
  exp,
  exp2,
  expm1,
  log,
  log2,
  log10,
  log1p,
  logaddexp,
  sqrt,
  rsqrt,
  cbrt,
  pow,
  hypot,
  // angles
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  asinh,
  acosh,
  atanh,
  degrees,
  radians,
  // special functions and complex numbers
  sigmoid,
  relu,
  leaky_relu,
  silu,
  softplus,
  gelu,
  erf,
  erfc,
  lgamma,
  real,
  imag,
  conj,
  angle,
  count,
};

/// A function for all element types.
export struct Function {
  const char* name;  ///< in messages
  int arguments;     ///< how many
  ScalarRule scalars;
  const char* takes;      ///< what it takes, in messages: "floating elements"
  bool has_mask = false;  ///< the first argument is bool and no part of the common type
  std::array<Variant, dtype_count> variants{};

  const Variant& of(DType dtype) const { return variants[static_cast<std::size_t>(dtype)]; }
};

}  // namespace tessera::dynamic
