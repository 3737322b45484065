module;
#include <cstddef>
export module tessera.expr:explanation;
import tessera.standard;
import tessera.core;
import tessera.device;
import :plan;
import :lowering;
import :elementwise;
import :run_normalised;
import :product;
import :row_blocks;
import :reduce;
import :gpu_variant;
import :gpu_form;
import :gpu_evaluation;

// What explain() has found out about an expression, without templates, and its text.
namespace tessera::plan {

/// One line of the tree.
struct ExplainedNode {
  int depth = 0;
  std::string label{};  // "operator +", "x0 = array"
  DType dtype = DType::boolean;
  std::string shape{};
  std::string detail{};  // layout and place of arrays, the value of a scalar
};

/// One scalar function of the expression, ready to be timed by itself.
struct ExplainedOperation {
  std::string name{};
  std::vector<DType> arguments{};  // as they arrive, in compute types
  DType common = DType::boolean;   // in which it computes
  DType value = DType::boolean;
  std::optional<bool> vectorises{};  // as the operation itself declares
  std::optional<int> flops{};
  Kernel kernel = nullptr;  // for the CPU at hand
  Kernel scalar = nullptr;  // the same without vectorisation
  const void* nodes = nullptr;
};

/// One of the loops that bring elements to their new positions.
struct ExplainedMove {
  LoopPlan plan{};
  DeviceElement device{};
};

/// A part of the evaluation that is complete before the next one begins.
struct ExplainedStage {
  enum class Kind { loop, reduction, normalisation, product, moved };

  Kind kind = Kind::loop;
  std::string title{};
  std::string target{};  // what is written, and where
  DType written = DType::boolean;
  std::vector<ExplainedNode> nodes{};
  std::vector<DType> leaf_types{};
  std::vector<ExplainedOperation> operations{};
  std::vector<std::byte> scalars{};  // 16 bytes each
  std::vector<std::string> notes{};  // of the plan: temporaries, tiles, products
  Place place{};
  LoopPlan plan{};                      // of a loop
  std::optional<LoopPlan> tile{};       // of a loop after each tile of a product: the first one's
  std::optional<std::size_t> cached{};  // the leaf that a product or a normalisation leaves in the cache
  Reduction reduction{};                // of a reduction: axes, extents, which are reduced
  ReductionPlan folding{};              // the same, on the CPU
  DeviceFoldPlan device_folding{};      // and on a GPU
  NormalisationPlan normalisation{};    // on the CPU
  DeviceNormalisingPlan device_normalisation{};
  std::vector<ExplainedMove> moves{};  // the first few loops that move elements,
  std::ptrdiff_t moves_count = 0;      // and how many there are
  std::vector<Operand> leaves{};
  ProductPlan product{};
  std::size_t product_stage = 0;  // that of the product whose tiles or rows are read, from 1
  RowBlocks rows{};               // in which a reduction or a normalisation takes them
  bool is_transposed = false;     // the product of the right factor's transpose and the left's is computed
  DeviceElement device{};
};

struct Explanation {
  std::vector<ExplainedStage> stages{};
};

/// "strides (10, 1), row-major, on cpu"
std::string layout_text(std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides,
                        std::string_view place);

/// The value of a scalar in `bytes`.
std::string value_text(DType dtype, const void* bytes);

/// Memory that stands for a result which is not computed: aligned, never read or written, apart from all other memory and from that of other
/// numbers, of which there are 0 to 32767.
void* nowhere(std::size_t number);

/// "along axes 0, 1": those that are reduced.
std::string reduced_axes_text(std::span<const bool> reduced);

/// The name of T in the compiler's text for a function template of T.
std::string type_name(std::string_view function_name);

std::string to_string(const Explanation& explanation);

}  // namespace tessera::plan
