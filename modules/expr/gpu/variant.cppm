module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:gpu_variant;
import tessera.standard;
import tessera.core;
import tessera.device;
import :plan;
import :elementwise;

// Which CUDA kernel computes an expression for given operands: its element's text, how it reaches each operand, and the bytes of its arguments.
namespace tessera::plan {

/// Name of an element type in device text.
constexpr std::string_view device_name(DType dtype) {
  constexpr std::string_view names[] = {"bool",
                                        "signed char",
                                        "short",
                                        "int",
                                        "long long",
                                        "unsigned char",
                                        "unsigned short",
                                        "unsigned int",
                                        "unsigned long long",
                                        "tessera_float16",
                                        "tessera_bfloat16",
                                        "float",
                                        "double",
                                        "tessera_complex<float>",
                                        "tessera_complex<double>"};
  return names[static_cast<int>(dtype)];
}

/// A leaf that is computed from its position: `text` with $0 for the scalar named `seed` and $1 for the position.
struct DeviceGenerator {
  std::size_t leaf;
  std::string_view text;
  std::string seed;
  const char* code;  // what the text calls; one that another begins with is written once
};

/// An expression's device text, made once for its type.
struct DeviceElement {
  std::string_view body{};  // statements that compute the value from the leaves x0, x1, ... and the scalars s0, s1, ...
  std::string_view result{};                      // its name
  DType value = DType::boolean;                   // of the result
  std::span<const DType> leaves{};                // element types in memory
  std::span<const DType> scalars{};               // compute types
  std::span<const DeviceGenerator> generators{};  // of the leaves that are not in memory
  const char* missing = nullptr;                  // the first operation without device text; null when there is none
};

/// How a kernel reaches an operand's elements along the fastest axis.
enum class Access : std::uint8_t {
  constant,
  repeated,
  unit,
  strided,
  staged,    // contiguous along another axis, and read along that one into shared memory
  skipping,  // some steps apart, and read in packs of which not all elements are used
  beside,    // contiguous, and read one by one where others are in packs
};

/// How an operand is read of which not all neighbours are wanted: one of `step`, and the one after `first` others begins a pack.
struct Skipping {
  std::uint8_t step = 1;
  std::uint8_t first = 0;

  friend bool operator==(const Skipping&, const Skipping&) = default;
};

/// Which of an expression's kernels fits a plan; extents and strides themselves are arguments.
struct DeviceVariant {
  DType target = DType::boolean;
  int rank = 1;
  bool wide = false;     // indices of 64 bits
  int vector = 1;        // elements that one access of unit stride moves
  int together = 1;      // elements that a thread loads before it computes the first, where accesses move one
  bool in_rows = false;  // what lies before a row's first aligned address, and behind its last one, comes one by one
  core::SmallVector<Access, 8> access{};      // of the target, then of the leaves
  core::SmallVector<Skipping, 8> skipping{};  // of the same, empty if none skips elements
  /// For each operand, the first one that is the same memory; empty if no two are.
  core::SmallVector<std::uint8_t, 8> shared_with{};
  int edge = 0;    // of the tiles of staged operands (gpu/kernel.cppm); 0 when there are none
  int axis = 0;    // the other axis of the tiles than the last
  int along = -1;  // the axis along which accesses move several elements where that is not the last one

  friend bool operator==(const DeviceVariant&, const DeviceVariant&) = default;

  /// The operand whose values this one has: itself, or an earlier one. A kernel loads them once, and its compiler then computes once
  /// what an expression computes of them twice.
  std::size_t source(std::size_t operand) const { return shared_with.empty() ? operand : shared_with[operand]; }
  bool is_shared(std::size_t operand) const { return source(operand) != operand; }
};

/// The kernel with the widest accesses and narrowest indices that the plan allows.
DeviceVariant device_variant(const LoopPlan& plan, const DeviceElement& element, DType target);

/// Notes which leaves in memory are the same elements in the same order.
void find_shared_operands(std::span<const Operand> operands, int rank, const DeviceElement& element,
                          DeviceVariant& variant);

/// Element type of operand number `operand`: the target, then the leaves.
DType dtype_at(const DeviceElement& element, DType target, std::size_t operand);

/// Name of a leaf in device text, and in explain(): "x0", "x1", ...
std::string leaf_name(std::size_t leaf);
/// Name of an operand: "y", then those of the leaves.
std::string operand_name(std::size_t operand);

/// Axes along which the kernel multiplies by a stride of this operand.
core::SmallVector<int, most_axes> stride_axes(const DeviceVariant& variant, std::size_t operand);

/// Elements that the widest access of one thread moves at once, of the widest of the expression's types.
int widest_vector(const DeviceElement& element, DType target);

/// Pieces of work of which each thread has one in each turn of its loop.
std::ptrdiff_t thread_pieces(const LoopPlan& plan, const DeviceVariant& variant);

/// Tiles, of the kernels of variants that have any.
std::ptrdiff_t tile_count(const LoopPlan& plan, const DeviceVariant& variant);

/// Rows of tiles that are visited together, column by column.
inline constexpr std::ptrdiff_t tile_band = 8;

/// Threads of a block that the kernel of this variant needs; 0 if any number is right.
int block_threads(const DeviceVariant& variant);

/// Puts the members of tessera_arguments. `scalars` holds one value after the other, each in 16 bytes.
void put_device_arguments(device::launching::Arguments& arguments, const LoopPlan& plan, const DeviceElement& element,
                          const DeviceVariant& variant, std::span<const std::byte> scalars);

/// "rank 2, 32-bit indices, 4 elements an access: y unit stride, x0 constant"
std::string to_string(const DeviceVariant& variant);

/// Throws DTypeError: there is no CUDA text for what `operation` names.
[[noreturn]] void throw_no_device_text(const std::string& operation);

/// Throws DTypeError if an operation has no device text.
void require_device_text(const DeviceElement& element);

}  // namespace tessera::plan
