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

std::string axes_text(int rank, const Axes& values) { return shape_text(std::span(values).first(at(rank))); }

std::string line_of(std::string name, DType dtype, const std::string& strides, const std::string& delivery) {
  name.resize(std::max(name.size() + 1, std::size_t{4}), ' ');
  name += tessera::name(dtype);
  name.resize(std::max(name.size() + 1, std::size_t{15}), ' ');
  name += "strides " + strides;
  name.resize(std::max(name.size() + 2, std::size_t{36}), ' ');
  return "  " + name + delivery + "\n";
}

std::string delivery(const LoopPlan& plan, const Space::Operand& operand, bool is_target) {
  if (operand.data == nullptr && operand.generate == nullptr) return "computed in the cache just before it is read";
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

std::string block_text(const LoopPlan& plan) {
  const std::string size = std::to_string(plan.block.rows) + " x " + std::to_string(plan.block.columns);
  const std::ptrdiff_t threads = std::min<std::ptrdiff_t>(num_threads(), plan.tasks);
  if (plan.at_once)
    return "  one call of the kernel, on 1 thread, with " + std::string(device::name(device::isa())) + "\n";
  const std::string what = plan.strips ? "strip" : "block";
  return "  " + std::to_string(plan.blocks) + " " + what + (plan.blocks == 1 ? "" : "s") + " of at most " + size +
         " elements, on " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") + ", with " +
         std::string(device::name(device::isa())) + "\n";
}

std::string loop_text(const ExplainedStage& stage) {
  const LoopPlan& plan = stage.plan;
  if (plan.elements == 0) return "  nothing: there are no elements\n";
  std::string text = "  one loop over " + std::to_string(plan.elements) + " elements into " + stage.target +
                     "; axes in the order of the loop, slowest first: " + axes_text(plan.rank, plan.walked_extents) +
                     "\n";
  for (std::size_t k = 0; k < plan.walked.size(); ++k) {
    const Space::Operand& operand = plan.walked[k];
    text += line_of(operand_name(k), k == 0 ? stage.written : stage.leaf_types[k - 1],
                    axes_text(plan.rank, operand.strides), delivery(plan, operand, k == 0));
  }
  return text + block_text(plan);
}

std::string reduction_text(const ExplainedStage& stage) {
  const Reduction& reduction = stage.reduction;
  const bool folds = stage.kind == ExplainedStage::Kind::reduction;
  std::string text = (folds ? "  folds " : "  normalises ") + axes_text(reduction.rank, reduction.extents) + " " +
                     reduced_axes_text(std::span(reduction.reduced).first(at(reduction.rank))) + " into " +
                     stage.target + "; values are computed in blocks that stay in the L1 cache\n";
  for (std::size_t k = 0; k < stage.leaves.size(); ++k) {
    text += line_of(leaf_name(k), stage.leaf_types[k], axes_text(reduction.rank, stage.leaves[k].strides),
                    stage.leaves[k].data == nullptr ? "generated block by block" : "fused with the reduction");
  }
  return text;
}

std::string side_text(std::string_view name, std::ptrdiff_t row, std::ptrdiff_t column) {
  const bool plain = column == 1;
  const bool transposed = !plain && row == 1;
  return "  " + std::string(name) + " strides " + shape_text(std::array{row, column}) +
         (plain        ? "  as it lies"
          : transposed ? "  transposed, by a flag"
                       : "  neither axis is contiguous") +
         "\n";
}

std::string product_text(const ExplainedStage& stage) {
  const TiledProduct& product = stage.product;
  const bool blas =
      has_blas(product.dtype) && !is_small_product(product.dtype, product.rows, product.columns, product.inner);
  return "  " + shape_text(std::array{product.rows, product.inner}) + " times " +
         shape_text(std::array{product.inner, product.columns}) + " into " + stage.target + ", by " +
         (blas ? "the BLAS" : "loops of this library") + ", in tiles\n" +
         side_text("x0", product.a_row, product.a_column) + side_text("x1", product.b_row, product.b_column);
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
  return 2 * static_cast<double>(vector / widest) / 10;
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
    const Space::Operand& operand = plan.operands[k];
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
  for (const Leaf& leaf : stage.leaves) {
    if (leaf.data != nullptr) read += bytes_of(stage.reduction.rank, stage.reduction.extents, leaf.strides, leaf.item);
  }
  const int flops = flops_of(stage);
  return "Cost\n  an element that is reduced: " + decimal(read) + " bytes read, about " + std::to_string(flops) +
         (flops == 1 ? " operation" : " operations") + "\n" + intensity_text(stage, flops, read);
}

std::string product_cost(const ExplainedStage& stage) {
  const TiledProduct& product = stage.product;
  const auto [m, k, n] = std::array{static_cast<double>(product.rows), static_cast<double>(product.inner),
                                    static_cast<double>(product.columns)};
  const double bytes = (m * k + k * n + m * n) * static_cast<double>(item_size(product.dtype));
  const double flops = 2 * m * k * n;
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
    case ExplainedStage::Kind::moved: text += "  elements move to their new positions in " + stage.target + "\n"; break;
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
