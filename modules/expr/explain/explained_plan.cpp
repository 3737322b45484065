module;
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>
module tessera.expr;
import :tile_kernels;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// How an explained stage walks memory, and what an element costs.
namespace tessera::plan {

namespace {

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

std::string decimal(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 3);
  return {text, end.ptr};
}

std::string axes_text(int rank, const Axes& values) { return core::shape_text(std::span(values).first(at(rank))); }

std::string line_of(std::string name, DType dtype, const std::string& strides, const std::string& delivery) {
  name.resize(std::max(name.size() + 1, std::size_t{4}), ' ');
  name += tessera::name(dtype);
  name.resize(std::max(name.size() + 1, std::size_t{15}), ' ');
  name += "strides " + strides;
  name.resize(std::max(name.size() + 2, std::size_t{36}), ' ');
  return "  " + name + delivery + "\n";
}

std::string delivery(const LoopPlan& plan, const Operand& operand, bool is_target) {
  if (operand.data == nullptr) return "generated block by block";
  Block computed = plan.block;  // what one call of the kernel computes
  if (plan.strips) computed.rows = 1;
  if (is_direct(operand, computed)) return is_target ? "direct: written where it lies" : "direct: read where it lies";
  if (is_target) return "spread over its strides after each block";
  if (is_repeated(operand, computed)) return "one value for a block: read again and again";
  if (is_transposed(operand, plan.block)) return "transposed block by block";
  if (column_stride(operand, computed) == 0) return "each row's value repeated into a block";
  if (computed.rows > 1 && row_stride(operand, computed) == 0) return "its row repeated into a block";
  return "packed into a block";
}

std::string counted(std::ptrdiff_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

/// "on 2 threads": of so many tasks.
std::string threads_text(std::ptrdiff_t tasks) {
  return "on " + counted(std::min<std::ptrdiff_t>(num_threads(), std::max<std::ptrdiff_t>(tasks, 1)), "thread");
}

std::string isa_text() { return ", with " + std::string(device::name(device::isa())) + "\n"; }

std::string block_text(const LoopPlan& plan) {
  if (plan.at_once) return "  one call of the kernel, on 1 thread" + isa_text();
  return "  " + counted(plan.blocks, plan.strips ? "strip" : "block") + " of at most " +
         std::to_string(plan.block.rows) + " x " + std::to_string(plan.block.columns) + " elements, " +
         threads_text(plan.tasks) + isa_text();
}

std::string heading(std::ptrdiff_t elements, const std::string& target, int rank, const Axes& extents) {
  return "  one loop over " + std::to_string(elements) + " elements into " + target +
         "; axes in the order of the loop, slowest first: " + axes_text(rank, extents) + "\n";
}

DType type_at(const ExplainedStage& stage, std::size_t operand) {
  return operand == 0 ? stage.written : stage.leaf_types[operand - 1];
}

constexpr const char* no_kernel = "  nothing: an operation has no device text, and the assignment throws DTypeError\n";

std::string device_blocks_text(const DeviceLoopPlan& work) {
  return "  one kernel of " + counted(work.blocks, "block") + " of " + std::to_string(device::launching::tile_threads) +
         " threads\n";
}

std::string device_loop_text(const ExplainedStage& stage) {
  const LoopPlan& plan = stage.plan;
  if (stage.device.missing != nullptr) return no_kernel;
  std::string text = heading(plan.elements, stage.target, plan.rank, plan.extents);
  if (stage.cached)
    return text +
           "  by the kernel that normalises the rows that it reads, each while it is in registers or the cache\n";
  const DeviceLoopPlan work = device_plan(plan, stage.device, stage.written);
  for (std::size_t k = 0; k < plan.operands.size(); ++k) {
    constexpr const char* ways[] = {"one value for all elements",  "one value along the last axis",
                                    "neighbours read together",    "read at its strides",
                                    "transposed in shared memory", "neighbours read together, some for nothing",
                                    "neighbours read one by one"};
    const char* const way = work.variant.is_shared(k)          ? "the same elements as an operand before it"
                            : plan.operands[k].data == nullptr ? "generated where it is needed"
                            : k == 0                           ? "written where it lies"
                                                               : ways[static_cast<int>(work.variant.access[k])];
    text += line_of(operand_name(k), type_at(stage, k), axes_text(plan.rank, plan.operands[k].strides), way);
  }
  return text + device_blocks_text(work);
}

std::string loop_text(const ExplainedStage& stage) {
  if (stage.plan.elements == 0) return "  nothing: there are no elements\n";
  if (!stage.place.on_host()) return device_loop_text(stage);
  const LoopPlan& plan = stage.tile ? *stage.tile : stage.plan;
  std::string text = heading(plan.elements, stage.target, plan.rank, plan.walked_extents);
  for (std::size_t k = 0; k < plan.walked.size(); ++k) {
    const Operand& operand = plan.walked[k];
    text += line_of(operand_name(k), type_at(stage, k), axes_text(plan.rank, operand.strides),
                    k > 0 && stage.cached == k - 1 ? "computed in the cache just before it is read"
                                                   : delivery(plan, operand, k == 0));
  }
  if (stage.tile)
    return text + block_text(plan) +
           "  computed tile by tile, each just after the product's tile that it reads; this is the first\n";
  if (stage.cached)
    return text + "  computed with the normalisation that it reads, " + threads_text(stage.normalisation.tasks) +
           isa_text();
  return text + block_text(plan);
}

std::string folding_text(const ReductionPlan& plan) {
  const std::string side =
      plan.by_columns ? "  " + std::to_string(plan.unit_outputs) + " results side by side" : "  row by row";
  switch (plan.way) {
    case ReductionPlan::Way::nothing: return "  nothing: there are no results\n";
    case ReductionPlan::Way::at_once: return "  one call of the kernel, on 1 thread" + isa_text();
    case ReductionPlan::Way::cleared: return "  there are no values: the result over nothing\n";
    case ReductionPlan::Way::units:
      return side + ", " + counted(plan.outputs, "result") + " of " + counted(plan.reduced, "value") + ", " +
             threads_text(plan.tasks) + isa_text();
    case ReductionPlan::Way::chunks: break;
  }
  return side + ", " + counted(plan.outputs, "result") + " of " + counted(plan.reduced, "value") + ", each in " +
         counted(plan.chunks, "part") + " that are merged in order, " + threads_text(plan.tasks) + isa_text();
}

std::string normalisation_text(const NormalisationPlan& plan) {
  if (plan.rows == 0) return "  nothing: there are no elements\n";
  const std::string what = plan.by_columns ? "column" : "row";
  std::string text = "  " + counted(plan.rows, what) + " of " + counted(plan.length, "value") + ", ";
  text += plan.by_columns || plan.whole_rows ? std::to_string(plan.unit) + " at a time" : "each in parts";
  return text + ", " + threads_text(plan.tasks) + isa_text();
}

std::string device_folding_text(const DeviceFoldPlan& plan) {
  if (plan.blocks == 0) return "  nothing: there are no results\n";
  constexpr const char* teams[] = {"8 threads", "32 threads", "a block", "8 threads, 32 results side by side",
                                   "4 threads", "one thread"};
  const std::string threads = " of " + std::to_string(fold_threads) + " threads";
  std::string text = "  one kernel of " + counted(plan.blocks, "block") + threads + ", for each result " +
                     teams[static_cast<int>(plan.cut.shape)];
  if (plan.merging_blocks > 0) {
    text += ", its values in " + counted(plan.cut.parts, "part") + "\n  another of " +
            counted(plan.merging_blocks, "block") + threads + ", which merges the parts";
  }
  return text + "\n";
}

std::string device_normalisation_text(const DeviceNormalisingPlan& plan) {
  if (plan.rows == 0) return "  nothing: there are no elements\n";
  const bool by_columns = plan.threads == 0;
  const std::string each = by_columns ? "column" : "row";
  const std::string kernel = "  one kernel of " + counted(plan.blocks, "block") + " of " +
                             std::to_string(plan.block_threads) + " threads, for each " + each + " of " +
                             counted(plan.length, "value") + " " +
                             (by_columns ? "8 threads, 32 columns side by side" : counted(plan.threads, "thread"));
  if (plan.held > 0) return kernel + " that keep up to " + counted(plan.held, "value") + " each in registers\n";
  if (plan.in_one) return kernel + " that read them twice\n";
  return kernel + ", which fold " + (plan.parts > 1 ? counted(plan.parts, "part") + " of it" : "it") +
         "\n  another of " + counted(plan.blocks, "block") + " of " + std::to_string(plan.block_threads) +
         " threads, which applies what was found\n";
}

std::string rows_text(const RowBlocks& blocks) {
  return "  in " + counted(blocks.count, "block") + " of about " + counted(blocks.rows, "row") +
         ", each just after the product's rows that it reads\n";
}

std::string reduction_text(const ExplainedStage& stage) {
  const Reduction& reduction = stage.reduction;
  const bool folds = stage.kind == ExplainedStage::Kind::reduction;
  const bool on_host = stage.place.on_host();
  if (!on_host && stage.device.missing != nullptr) return no_kernel;
  std::string text = (folds ? "  folds " : "  normalises ") + axes_text(reduction.rank, reduction.extents) + " " +
                     reduced_axes_text(std::span(reduction.reduced).first(at(reduction.rank))) + " into " +
                     stage.target + (on_host ? "; values are computed in blocks that stay in the L1 cache\n" : "\n");
  for (std::size_t k = 0; k < stage.leaves.size(); ++k) {
    const std::string generated = on_host ? "generated block by block" : "generated where it is needed";
    text += line_of(leaf_name(k), stage.leaf_types[k], axes_text(reduction.rank, stage.leaves[k].strides),
                    stage.cached == k                 ? "computed in the cache just before it is read"
                    : stage.leaves[k].data == nullptr ? generated
                                                      : "fused with the reduction");
  }
  if (stage.rows.count > 0) text += rows_text(stage.rows);
  if (!folds) {
    return text +
           (on_host ? normalisation_text(stage.normalisation) : device_normalisation_text(stage.device_normalisation));
  }
  return text + (on_host ? folding_text(stage.folding) : device_folding_text(stage.device_folding));
}

std::string moved_text(const ExplainedStage& stage) {
  std::string text = "  elements move to their new positions in " + stage.target;
  if (!stage.operations.empty()) text += ", and are computed on their way";
  text += "\n";
  for (const ExplainedMove& move : stage.moves) {
    const LoopPlan& plan = move.plan;
    if (plan.elements == 0) continue;
    text += "  one loop over " + counted(plan.elements, "element") + ":";
    if (stage.place.on_host()) {
      text += block_text(plan).substr(1);
    } else if (move.device.missing != nullptr) {
      return text + "\n" + no_kernel;
    } else {
      text += device_blocks_text(device_plan(plan, move.device, stage.written)).substr(1);
    }
  }
  const std::ptrdiff_t more = stage.moves_count - std::ssize(stage.moves);
  if (more > 0) text += "  and " + counted(more, "loop") + " more\n";
  return text;
}

std::string blas_factor_text(const Matrix& m) {
  if (!is_blas_matrix(m.rows, m.columns, m.row, m.column)) return "neither axis is contiguous";
  return blas_matrix(m.rows, m.columns, m.row, m.column).is_transposed ? "transposed, by a flag" : "as it lies";
}

bool is_by_loops(ProductWay way) { return way < ProductWay::blas_matrices; }

std::string factor_text(std::string_view name, const Matrix& m, ProductWay way, const Loop* loop, bool packed) {
  if (loop != nullptr) return "  " + std::string(name) + " evaluated block by block\n";
  const std::string loops = packed ? "packed block by block" : "read as it lies";
  return "  " + std::string(name) + " strides " + core::shape_text(std::array{m.row, m.column}) + "  " +
         (is_by_loops(way) ? loops : blas_factor_text(m)) + "\n";
}

std::string by_text(const ProductPlan& plan) {
  switch (plan.way) {
    case ProductWay::nothing: return "nothing: there are no elements";
    case ProductWay::zeros: return "zeros: there is nothing to add up";
    case ProductWay::registers: return "by loops over registers";
    case ProductWay::blocks: return "by loops over blocks that fit the caches";
    case ProductWay::rows: return "as inner products with its rows";
    case ProductWay::columns: return "as a sum of its columns";
    case ProductWay::row_by_columns: return "as inner products with its columns";
    case ProductWay::row_by_rows: return "as a sum of its rows";
    case ProductWay::few_columns: return "as inner products with its rows, for all columns at once";
    case ProductWay::few_rows: return "as inner products with its columns, for all rows at once";
    case ProductWay::few_columns_by_columns: return "as a sum of its columns, for all columns at once";
    case ProductWay::few_rows_by_rows: return "as a sum of its rows, for all rows at once";
    case ProductWay::blas_matrices: return "by the BLAS";
    case ProductWay::blas_matrix_by_vector: return "by the BLAS, as a matrix by a vector";
    case ProductWay::blas_vector_by_matrix: return "by the BLAS, as a vector by a matrix";
    case ProductWay::cublas: return "by cuBLAS, in " + counted(plan.tasks, "call");
    case ProductWay::device_kernel: break;
  }
  return "by one kernel of this library, of " + counted(plan.tasks, "block") + " of 256 threads";
}

/// Of factors that are not of the type of the sums.
std::string types_text(const ProductPlan& plan) {
  const TiledProduct& product = plan.batch.matrices;
  const bool by_tiles =
      plan.way == ProductWay::blocks && multiplies_tiles(product.a_type, product.b_type, product.dtype, product.inner);
  const std::string sums =
      (by_tiles ? "in tiles of AMX, summed in " : "summed in ") + std::string(name(product.dtype)) + "\n";
  if (multiplies_bytes(product.a_type, product.b_type, product.dtype)) {
    std::string types(name(product.a_type));
    if (product.b_type != product.a_type) types += " and " + std::string(name(product.b_type));
    if (by_tiles) return "  factors of " + types + ", " + sums;
    return "  factors of " + types + (has_byte_quads() ? ", four at a time, " : ", in pairs of 16 bits, ") + sums;
  }
  for (const DType type : {product.a_type, product.b_type}) {
    if (type != product.dtype) return "  factors of " + std::string(name(type)) + ", " + sums;
  }
  return "";
}

std::string grid_text(const ProductPlan& plan) {
  if (plan.by_depth) return ", cut along the inner extent";
  if (plan.grid.count() == 1) return ", whole";
  return ", in " + std::to_string(plan.grid.down) + " x " + std::to_string(plan.grid.across) + " tiles";
}

std::string product_text(const ExplainedStage& stage) {
  const ProductPlan& plan = stage.product;
  const TiledProduct& product = plan.batch.matrices;
  std::string text = "  " + core::shape_text(std::array{product.rows, product.inner}) + " times " +
                     core::shape_text(std::array{product.inner, product.columns}) + " into " + stage.target + ", " +
                     by_text(plan);
  if (plan.products > 0 && product.place.on_host()) {
    text += grid_text(plan) + ", " + threads_text(plan.tasks);
  }
  text += "\n";
  const std::string_view names[] = {"x0", "x1"};
  text +=
      factor_text(names[stage.is_transposed ? 1 : 0], {product.rows, product.inner, product.a_row, product.a_column},
                  plan.way, product.a_loop, plan.packed.a) +
      factor_text(names[stage.is_transposed ? 0 : 1], {product.inner, product.columns, product.b_row, product.b_column},
                  plan.way, product.b_loop, plan.packed.b);
  if (product.place.on_host()) text += types_text(plan);
  if (stage.is_transposed)
    text += "  as the product of the transposed factors: the columns of the result are contiguous\n";
  if (plan.is_symmetric)
    text += "  the factors are transposes of each other: one half is computed, and copied to the other\n";
  if (plan.products > 1) text += "  the same for each of " + std::to_string(plan.products) + " pairs of matrices\n";
  return text;
}

/// Operations an element of one call, as a processor counts them: a polynomial's multiplications and additions. Estimates.
int flops_of(const ExplainedOperation& operation) {
  if (operation.flops) return *operation.flops;
  struct Known {
    std::string_view name;
    int flops;
  };
  constexpr Known known[] = {
      {"exp", 16},   {"exp2", 14}, {"expm1", 18},    {"log", 22},       {"log2", 24},  {"log10", 24}, {"log1p", 26},
      {"pow", 50},   {"sin", 20},  {"cos", 20},      {"tan", 30},       {"asin", 20},  {"acos", 20},  {"atan", 20},
      {"atan2", 25}, {"sinh", 25}, {"cosh", 20},     {"tanh", 28},      {"asinh", 35}, {"acosh", 30}, {"atanh", 30},
      {"erf", 30},   {"erfc", 35}, {"lgamma", 60},   {"sigmoid", 20},   {"cbrt", 20},  {"sqrt", 1},   {"hypot", 6},
      {"cast", 1},   {"where", 1}, {"softplus", 40}, {"logaddexp", 45}, {"gelu", 35},  {"silu", 21}};
  const auto* found = std::ranges::find(known, operation.name, &Known::name);
  const int once = found == std::end(known) ? 1 : found->flops;
  return kind(operation.common) == Kind::complex ? 4 * once : once;
}

int flops_of(const ExplainedStage& stage) {
  int flops = stage.kind == ExplainedStage::Kind::loop ? 0 : 1;
  for (const ExplainedOperation& operation : stage.operations) flops += flops_of(operation);
  return flops;
}

/// Bytes of an operand's distinct elements for each element of the evaluation.
double bytes_of(int rank, const Axes& extents, const Axes& strides, std::ptrdiff_t item) {
  double bytes = static_cast<double>(item);
  for (int axis = 0; axis < rank; ++axis) {
    if (strides[at(axis)] == 0) bytes /= static_cast<double>(extents[at(axis)]);
  }
  return bytes;
}

/// Operations a core can do in the time in which it moves one byte between memory and itself: two vector instructions a cycle
/// beside about ten bytes.
double balance(const ExplainedStage& stage) {
  std::ptrdiff_t widest = stage.operations.empty() ? item_size(stage.written) : 1;
  for (const ExplainedOperation& operation : stage.operations) widest = std::max(widest, item_size(operation.common));
  const std::ptrdiff_t vector = device::isa() == device::Isa::avx512 ? 64
                                : device::isa() == device::Isa::avx2 ? 32
                                                                     : 16;
  const std::ptrdiff_t elements = vector / widest;
  return 2 * static_cast<double>(elements) / 10;
}

std::string intensity_text(const ExplainedStage& stage, double flops, double bytes) {
  if (bytes == 0) return "  moves no memory\n";
  const double intensity = flops / bytes;
  const double limit = balance(stage);
  return "  intensity " + decimal(intensity) + " operations a byte: bound by " +
         (intensity < limit ? "memory" : "arithmetic") + " unless the operands are in a cache (limit about " +
         decimal(limit) + ")\n";
}

std::string loop_cost(const ExplainedStage& stage) {
  const LoopPlan& plan = stage.plan;
  if (plan.elements == 0) return "";
  std::string parts;
  double read = 0;
  for (std::size_t k = 1; k < plan.operands.size(); ++k) {
    const Operand& operand = plan.operands[k];
    if (operand.data == nullptr) continue;
    const double bytes = bytes_of(plan.rank, plan.extents, operand.strides, operand.item);
    read += bytes;
    parts += (parts.empty() ? " (" : ", ") + leaf_name(k - 1) + " " + decimal(bytes);
  }
  if (!parts.empty()) parts += ")";
  const auto written = static_cast<double>(plan.operands.front().item);
  const int flops = flops_of(stage);
  return "Cost\n  an element: " + decimal(read) + " bytes read" + parts + ", " + decimal(written) + " written, about " +
         std::to_string(flops) + (flops == 1 ? " operation\n" : " operations\n") +
         intensity_text(stage, flops, read + written);
}

std::string reduction_cost(const ExplainedStage& stage) {
  double read = 0;
  for (const Operand& leaf : stage.leaves) {
    if (leaf.data != nullptr) read += bytes_of(stage.reduction.rank, stage.reduction.extents, leaf.strides, leaf.item);
  }
  const int flops = flops_of(stage);
  return "Cost\n  an element that is reduced: " + decimal(read) + " bytes read, about " + std::to_string(flops) +
         (flops == 1 ? " operation" : " operations") + "\n" + intensity_text(stage, flops, read);
}

std::string product_cost(const ExplainedStage& stage) {
  const TiledProduct& product = stage.product.batch.matrices;
  const auto [m, k, n] = std::array{static_cast<double>(product.rows), static_cast<double>(product.inner),
                                    static_cast<double>(product.columns)};
  const auto size = [](DType type) { return static_cast<double>(item_size(type)); };
  const double bytes = m * k * size(product.a_type) + k * n * size(product.b_type) + m * n * size(product.dtype);
  const double flops = (stage.product.is_symmetric ? 1 : 2) * m * k * n;
  return "Cost\n  in all: " + decimal(flops) + " operations, at least " + decimal(bytes) + " bytes\n" +
         intensity_text(stage, flops, bytes);
}

}  // namespace

std::string plan_text(const ExplainedStage& stage) {
  std::string text = "Plan\n";
  switch (stage.kind) {
    case ExplainedStage::Kind::loop: text += loop_text(stage); break;
    case ExplainedStage::Kind::reduction:
    case ExplainedStage::Kind::normalisation: text += reduction_text(stage); break;
    case ExplainedStage::Kind::moved: text += moved_text(stage); break;
    case ExplainedStage::Kind::product: text += product_text(stage); break;
  }
  for (const std::string& note : stage.notes) text += "  " + note + "\n";
  return text;
}

std::string cost_text(const ExplainedStage& stage) {
  switch (stage.kind) {
    case ExplainedStage::Kind::reduction:
    case ExplainedStage::Kind::normalisation: return reduction_cost(stage);
    case ExplainedStage::Kind::moved: return "";
    case ExplainedStage::Kind::product: return product_cost(stage);
    case ExplainedStage::Kind::loop: break;
  }
  return loop_cost(stage);
}

}  // namespace tessera::plan
