module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Writing the CUDA kernels of reductions, and laying out their arguments.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t warp = 32;
constexpr std::ptrdiff_t column_rows = fold_threads / warp;  // threads that fold one column
constexpr std::ptrdiff_t thread_values = 16;                 // up to so many behind an output are for one thread
constexpr std::ptrdiff_t quad = 4;                           // threads that fold an output of few values
constexpr std::ptrdiff_t quad_values = 64;                   // up to so many
constexpr std::ptrdiff_t lanes = 8;                          // that fold an output of more
constexpr std::ptrdiff_t lanes_values = 256;                 // up to so many
constexpr std::ptrdiff_t warp_values = 1024;                 // and up to so many for one warp
constexpr std::ptrdiff_t enough_blocks = 2048;               // to keep any GPU busy
constexpr std::ptrdiff_t least_part = 8192;                  // values of a block, and of a column's eight threads
constexpr std::ptrdiff_t least_column_part = 512;
constexpr std::ptrdiff_t least_wide_part = 256;  // of threads that fold several columns each
constexpr std::ptrdiff_t quad_outputs = 4;       // of a quad, where there are many
constexpr std::ptrdiff_t many_outputs =
    1 << 17;  // for quads: some blocks for each multiprocessor even if each has four times as many
constexpr std::ptrdiff_t small_accumulator = 8;     // bytes, of which a thread can have several
constexpr std::ptrdiff_t enough_wide_blocks = 256;  // of threads that fold several columns each
constexpr std::ptrdiff_t many_parts = 64;           // more of them than a warp merges
constexpr std::ptrdiff_t access_bytes = 16;         // the widest load of one thread
constexpr std::size_t short_body = 400;  // characters; of longer expressions there are fewer copies to compile

std::size_t at(int axis) { return static_cast<std::size_t>(axis); }

std::ptrdiff_t blocks_for(std::ptrdiff_t work, std::ptrdiff_t of_a_block) {
  return (work + of_a_block - 1) / of_a_block;
}

/// Neighbouring threads that fold one output.
std::ptrdiff_t team_of(FoldShape shape) {
  switch (shape) {
    case FoldShape::threads: return 1;
    case FoldShape::quads: return quad;
    case FoldShape::lanes: return lanes;
    case FoldShape::warps: return warp;
    case FoldShape::blocks:
    case FoldShape::columns: break;
  }
  return fold_threads;
}

std::string quoted(DType dtype) { return std::string(device_name(dtype)); }

DType part_of(DType value) {
  return value == DType::complex64 ? DType::float32 : value == DType::complex128 ? DType::float64 : value;
}

/// The type in which values are summed: 64 bits for integers.
DType wide(DType value) {
  if (value == DType::boolean || kind(value) == Kind::signed_integer) return DType::int64;
  return kind(value) == Kind::unsigned_integer ? DType::uint64 : value;
}

/// The type in which the extremes of values are found: at least 32 bits.
DType word(DType value) { return item_size(value) < 4 ? DType::int32 : value; }

std::string fold_type(ReduceOp op, DType value) {
  const std::string c = quoted(value);
  const std::string sum = c + ", " + quoted(wide(value));
  switch (op) {
    case ReduceOp::sum: return "tessera_fold_sum<" + sum + ">";
    case ReduceOp::product: return "tessera_fold_product<" + sum + ">";
    case ReduceOp::mean: return "tessera_fold_mean<" + sum + ", " + quoted(part_of(value)) + ">";
    case ReduceOp::minimum: return "tessera_fold_minimum<" + c + ", " + quoted(word(value)) + ">";
    case ReduceOp::maximum: return "tessera_fold_maximum<" + c + ", " + quoted(word(value)) + ">";
    case ReduceOp::argmin: return "tessera_fold_search<" + c + ", false>";
    case ReduceOp::argmax: return "tessera_fold_search<" + c + ", true>";
    case ReduceOp::any: return "tessera_fold_any";
    case ReduceOp::all: return "tessera_fold_all";
    case ReduceOp::variance: return "tessera_fold_variance<" + c + ", false>";
    case ReduceOp::deviation: return "tessera_fold_variance<" + c + ", true>";
    case ReduceOp::log_sum_exp: return "tessera_fold_log_sum_exp<" + c + ">";
    case ReduceOp::norm: break;
  }
  return (part_of(value) == DType::float64 ? "tessera_fold_scaled_norm<" : "tessera_fold_norm<") + c + ">";
}

/// The axis along which operands of unit stride are contiguous.
int unit_axis(const DeviceVariant& variant) { return variant.along >= 0 ? variant.along : variant.rank - 1; }

/// Axes along which a kernel multiplies by a stride of this operand.
core::SmallVector<int, most_axes> fold_axes(const DeviceVariant& variant, int kept, std::size_t operand) {
  core::SmallVector<int, most_axes> axes;
  if (variant.access[operand] == Access::constant) return axes;
  const int last = operand == 0 ? kept : variant.rank;
  const bool steps = operand == 0 || variant.access[operand] == Access::strided;
  for (int axis = 0; axis < last; ++axis) {
    if (steps || axis != unit_axis(variant)) axes.push_back(axis);
  }
  return axes;
}

/// Folds whose groups are accumulators of a few bytes: a thread can have several of them.
bool is_small(ReduceOp op, DType value) {
  return op != ReduceOp::log_sum_exp && device_accumulator_bytes(op, value) <= small_accumulator;
}

/// Builds the text of both kernels.
class FoldingWriter : public KernelWriter {
 public:
  FoldingWriter(const DeviceElement& element, const DeviceVariant& variant, const FoldKernel& which)
      : KernelWriter(element, variant), which_(which) {}

  std::string write_folding() {
    write_types();
    write_pointers();
    text_ += "  void* partials;\n";
    write_scalars();
    write_sizes(operands(), variant_.rank);
    write_element();
    write_head();
    write_block();
    if (which_.shape == FoldShape::threads) {
      write_outputs_of_threads();
      return std::move(text_);
    }
    if (which_.each > 1) {
      write_short_rows();
      return std::move(text_);
    }
    if (which_.shape == FoldShape::columns) {
      const std::string each = is_wide() ? " * " + std::to_string(variant_.vector) : "";
      text_ +=
          "  const unsigned int lane = threadIdx.x / 32;\n"
          "  const tessera_index output = (block * 32 + threadIdx.x % 32)" +
          each + ";\n";
    } else {
      const std::string team = std::to_string(team_size());
      text_ += "  const unsigned int lane = threadIdx.x % " + team + ";\n" +
               "  const tessera_index output = block * (blockDim.x / " + team + ") + threadIdx.x / " + team + ";\n";
    }
    text_ += "  const bool inside = output < a.outputs;\n";
    write_positions(0, which_.kept, "output", "  ");
    if (is_wide()) {
      write_columns();
      return std::move(text_);
    }
    write_loop();
    text_ += which_.shape == FoldShape::columns
                 ? "  total = tessera_merge_columns<Fold, " + std::to_string(column_rows) + ">(total);\n"
                 : "  total = tessera_merge_team<Fold, " + std::to_string(team_size()) + ">(total);\n";
    text_ +=
        "  if (lane != 0 || !inside) return;\n"
        "  if (a.parts == 1)\n    tessera_store(" +
        fold_address(0) +
        ", Fold::result(total, a.finish));\n  else\n"
        "    static_cast<Fold::Accumulator*>(a.partials)[output * a.parts + part] = total;\n}\n";
    return std::move(text_);
  }

  std::string write_merging() {
    write_types();
    text_ += "struct tessera_arguments {\n  " + type_of(0) + "* y;\n  void* partials;\n  ";
    write_sizes(1, which_.kept);
    write_head();
    text_ +=
        "  const unsigned int lane = threadIdx.x % @M;\n"
        "  const tessera_index output = (tessera_index)blockIdx.x * (blockDim.x / @M) + threadIdx.x / @M;\n"
        "  const bool inside = output < a.outputs;\n"
        "  const Fold::Accumulator* const from = static_cast<const Fold::Accumulator*>(a.partials) + output * "
        "a.parts;\n"
        "  Fold::Accumulator total = Fold::identity();\n"
        "  for (tessera_index part = lane; inside && part < a.parts; part += @M) total = Fold::merge(total, "
        "from[part]);\n"
        "  total = tessera_merge_team<Fold, @M>(total);\n"
        "  if (lane != 0 || !inside) return;\n";
    replace_all("@M", std::to_string(which_.merging));
    write_positions(0, which_.kept, "output", "  ");
    text_ += "  tessera_store(" + fold_address(0) + ", Fold::result(total, a.finish));\n}\n";
    return std::move(text_);
  }

 private:
  std::ptrdiff_t team_size() const { return team_of(which_.shape); }

  /// The rest of the arguments: of the first `count` operands and `rank` axes.
  void write_sizes(std::size_t count, int rank) {
    text_ +=
        "tessera_finish finish;\n"
        "  tessera_index outputs, reduced, parts, part_size;\n" +
        divisor_members("blocks");
    for (int axis = 1; axis < rank; ++axis) {
      if (axis != which_.kept) text_ += divisor_members("extent" + std::to_string(axis));
    }
    for (std::size_t k = 0; k < count; ++k) {
      for (const int axis : fold_axes(variant_, which_.kept, k))
        text_ += "  tessera_offset " + stride_name(k, axis) + ";\n";
    }
    text_ += "};\n\n";
    text_ += device::launching::quotient_support(variant_.wide);
  }

  void write_block() {
    text_ += "  const tessera_index part = a.parts == 1 ? 0 : " + quotient("blockIdx.x", "blocks") +
             ", block = blockIdx.x - part * a.blocks;\n";
  }

  /// Several outputs of a thread that lie side by side and are loaded together.
  bool is_wide() const { return which_.shape == FoldShape::columns && variant_.vector > 1; }

  void write_head() {
    text_ += "extern \"C\" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {\n  typedef " +
             fold_type(which_.op, element_.value) + " Fold;\n";
  }

  std::string fold_address(std::size_t operand) const {
    std::string sum = "a." + operand_name(operand);
    for (const int axis : fold_axes(variant_, which_.kept, operand))
      sum += " + i" + std::to_string(axis) + " * a." + stride_name(operand, axis);
    if (operand > 0 && variant_.access[operand] == Access::unit) sum += " + i" + std::to_string(unit_axis(variant_));
    return sum;
  }

  /// Each thread folds groups of 16 values. Several are loaded before the first of them is folded, so that the memory has as many loads of each
  /// thread to work on; the last ones, where fewer are left, come one by one.
  void write_loop() {
    text_ +=
        "  const tessera_index first = part * a.part_size;\n"
        "  const tessera_index left = a.reduced - first;\n"
        "  const tessera_index last = inside ? first + (left < a.part_size ? left : a.part_size) : 0;\n"
        "  Fold::Accumulator total = Fold::identity();\n";
    variant_.vector > 1 ? write_pack_loop() : write_value_loop();
  }

  /// The same for values of which each access moves several: a group is what a thread loads at once. Unrolled further, the loop would take more
  /// registers and load no more of them together.
  void write_pack_loop() {
    if (variant_.in_rows) write_edges();
    const int width = variant_.vector;
    const auto read = std::ranges::count(variant_.access, Access::unit);
    const int values = element_.body.size() >= short_body || read > 3 ? 8 : 16;
    text_ +=
        "  tessera_index next = @F + lane * @W;\n"
        "#pragma unroll 1\n"
        "  for (; next + (@T - 1) * @S < @L; next += @T * @S) {\n"
        "    Fold::Group group = Fold::begin();\n"
        "    @V values[@T * @W];\n"
        "#pragma unroll\n"
        "    for (int n = 0; n < @T; ++n) {\n"
        "      const tessera_index r = next + n * @S;\n";
    write_packs("values[n * @W + k] = ");
    text_ +=
        "    }\n"
        "    tessera_taking<Fold>::all(group, values, next, @W, @S);\n"
        "    Fold::join(total, group);\n"
        "  }\n"
        "  if (next < @L) {\n"
        "    Fold::Group group = Fold::begin();\n"
        "#pragma unroll 1\n"
        "    for (; next < @L; next += @S) {\n"
        "      @V values[@W];\n"
        "      const tessera_index r = next;\n";
    write_packs("values[k] = ");
    text_ +=
        "      tessera_taking<Fold>::all(group, values, next, @W, @S);\n"
        "    }\n"
        "    Fold::join(total, group);\n"
        "  }\n";
    replace_all("@F", variant_.in_rows ? "packs_begin" : "first");
    replace_all("@L", variant_.in_rows ? "packs_end" : "last");
    replace_all("@T", std::to_string(std::max(1, std::min(4, values / width))));
    replace_all("@W", std::to_string(width));
    replace_all("@S", std::to_string(team_size() * width));
    replace_all("@V", quoted(element_.value));
  }

  /// What lies in a row before its first aligned address, and behind its last one: folded one by one. `packs_begin` and `packs_end` are around the rest.
  void write_edges() {
    std::size_t k = 1;
    while (variant_.access[k] != Access::unit || variant_.is_shared(k)) ++k;
    const int axis = variant_.rank - 1;
    text_ += "  const tessera_offset i" + std::to_string(axis) + " = first;\n" +
             "  const tessera_index length = last > first ? last - first : 0;\n"
             "  const tessera_index aligned = (tessera_index)(0 - (unsigned long long)(" +
             fold_address(k) + ") / sizeof(" + type_of(k) +
             ")) % @W;\n"
             "  const tessera_index head = aligned < length ? aligned : length;\n"
             "  const tessera_index edge = head + (length - head) % @W;\n"
             "  const tessera_index packs_begin = first + head, packs_end = packs_begin + (length - edge);\n"
             "  if (lane < edge) {\n"
             "    Fold::Group group = Fold::begin();\n"
             "#pragma unroll 1\n"
             "    for (tessera_index n = lane; n < edge; n += " +
             std::to_string(team_size()) +
             ") {\n"
             "      const tessera_index r = n < head ? first + n : packs_end + (n - head);\n";
    const std::string value = write_loads("      ");
    text_ += "      Fold::take(group, " + value +
             ", r);\n"
             "    }\n"
             "    Fold::join(total, group);\n"
             "  }\n";
  }

  /// Rows of a few packs: a quad folds several of them, without loops, and each of its threads stores one result.
  void write_short_rows() {
    const int packs = static_cast<int>((quad_values - 1) / (quad * variant_.vector) + 1);
    text_ +=
        "  const unsigned int lane = threadIdx.x % @Q;\n"
        "  const tessera_index begin = (block * (blockDim.x / @Q) + threadIdx.x / @Q) * @E;\n"
        "  Fold::Accumulator totals[@E];\n"
        "  if (a.reduced == @P * @Q * @W && begin + @E <= a.outputs) {\n"
        "#pragma unroll\n"
        "  for (int each = 0; each < @E; ++each) {\n"
        "    const tessera_index output = begin + each;\n";
    write_positions(0, which_.kept, "output", "    ");
    text_ +=
        "    @V values[@P * @W];\n"
        "#pragma unroll\n"
        "    for (int n = 0; n < @P; ++n) {\n"
        "      const tessera_index r = (lane + n * @Q) * @W;\n";
    write_packs("values[n * @W + k] = ");
    text_ +=
        "    }\n"
        "    totals[each] = Fold::identity();\n"
        "    Fold::Group group = Fold::begin();\n"
        "    tessera_taking<Fold>::all(group, values, lane * @W, @W, @Q * @W);\n"
        "    Fold::join(totals[each], group);\n"
        "  }\n"
        "  } else {\n"
        "#pragma unroll\n"
        "  for (int each = 0; each < @E; ++each) {\n"
        "    const tessera_index output = begin + each;\n"
        "    const tessera_index count = output < a.outputs ? a.reduced : 0;\n";
    write_positions(0, which_.kept, "output", "    ");
    text_ +=
        "    totals[each] = Fold::identity();\n"
        "    Fold::Group group = Fold::begin();\n"
        "#pragma unroll 1\n"
        "    for (tessera_index r = lane * @W; r < count; r += @Q * @W) {\n"
        "      @V values[@W];\n";
    write_packs("values[k] = ");
    text_ +=
        "      tessera_taking<Fold>::all(group, values, r, @W, @W);\n"
        "    }\n"
        "    Fold::join(totals[each], group);\n"
        "  }\n"
        "  }\n"
        "  const Fold::Accumulator total = tessera_merge_quads<Fold>(totals);\n"
        "  const tessera_index output = begin + lane;\n"
        "  if (output >= a.outputs) return;\n";
    write_positions(0, which_.kept, "output", "  ");
    text_ += "  tessera_store(" + fold_address(0) + ", Fold::result(total, a.finish));\n}\n";
    replace_all("@P", std::to_string(packs));
    replace_all("@E", std::to_string(which_.each));
    replace_all("@Q", std::to_string(quad));
    replace_all("@W", std::to_string(variant_.vector));
    replace_all("@V", quoted(element_.value));
  }

  /// Outputs of a few values, each of one thread, which loads all of them before it folds the first. The warp's loads lie in the same cache lines one after the
  /// other.
  void write_outputs_of_threads() {
    text_ +=
        "  const tessera_index output = block * blockDim.x + threadIdx.x;\n"
        "  if (output >= a.outputs) return;\n";
    write_positions(0, which_.kept, "output", "  ");
    text_ +=
        "  @V values[@N];\n"
        "#pragma unroll\n"
        "  for (int n = 0; n < @N; n += @W) {\n"
        "    const tessera_index r = n;\n"
        "    if (r < a.reduced) {\n";
    if (variant_.vector > 1) {
      write_packs("values[n + k] = ");
    } else {
      const std::string value = write_loads("      ");
      text_ += "      values[n] = " + value + ";\n";
    }
    text_ +=
        "    }\n"
        "  }\n"
        "  Fold::Group group = Fold::begin();\n"
        "#pragma unroll\n"
        "  for (int n = 0; n < @N; ++n) {\n"
        "    if (n < a.reduced) Fold::take(group, values[n], n);\n"
        "  }\n"
        "  Fold::Accumulator total = Fold::identity();\n"
        "  Fold::join(total, group);\n"
        "  tessera_store(" +
        fold_address(0) + ", Fold::result(total, a.finish));\n}\n";
    replace_all("@N", std::to_string(which_.most));
    replace_all("@W", std::to_string(variant_.vector));
    replace_all("@V", quoted(element_.value));
  }

  /// Several columns of a thread, side by side: each access loads a value of all of them.
  void write_columns() {
    text_ +=
        "  const tessera_index first = part * a.part_size;\n"
        "  const tessera_index left = a.reduced - first;\n"
        "  const tessera_index last = inside ? first + (left < a.part_size ? left : a.part_size) : 0;\n"
        "  Fold::Accumulator totals[@W];\n"
        "#pragma unroll\n"
        "  for (int k = 0; k < @W; ++k) totals[k] = Fold::identity();\n"
        "  tessera_index next = first + lane;\n";
    write_column_turns(std::to_string(4));
    write_column_turns("1");
    text_ +=
        "#pragma unroll\n"
        "  for (int k = 0; k < @W; ++k) totals[k] = tessera_merge_columns<Fold, @R>(totals[k]);\n"
        "  if (lane != 0 || !inside) return;\n"
        "#pragma unroll\n"
        "  for (int k = 0; k < @W; ++k) {\n"
        "    if (a.parts == 1)\n"
        "      tessera_store(" +
        fold_address(0) + " + k * a." + stride_name(0, which_.kept - 1) +
        ", Fold::result(totals[k], a.finish));\n"
        "    else\n"
        "      static_cast<Fold::Accumulator*>(a.partials)[(output + k) * a.parts + part] = totals[k];\n"
        "  }\n"
        "}\n";
    replace_all("@R", std::to_string(column_rows));
    replace_all("@W", std::to_string(variant_.vector));
    replace_all("@V", quoted(element_.value));
  }

  /// A loop over so many rows of the columns at a time.
  void write_column_turns(const std::string& rows) {
    text_ +=
        "#pragma unroll 1\n"
        "  for (; next + (" +
        rows + " - 1) * @R < last; next += " + rows +
        " * @R) {\n"
        "    @V values[@W][" +
        rows +
        "];\n"
        "#pragma unroll\n"
        "    for (int n = 0; n < " +
        rows +
        "; ++n) {\n"
        "      const tessera_index r = next + n * @R;\n";
    write_packs("values[k][n] = ");
    text_ +=
        "    }\n"
        "#pragma unroll\n"
        "    for (int k = 0; k < @W; ++k) {\n"
        "      Fold::Group group = Fold::begin();\n"
        "      tessera_taking<Fold>::all(group, values[k], next, 1, @R);\n"
        "      Fold::join(totals[k], group);\n"
        "    }\n"
        "  }\n";
  }

  /// The values of the pack at r, each assigned to `to`, in which k is its number.
  void write_packs(const std::string& to) {
    write_positions(which_.kept, variant_.rank, "r", "        ");
    std::string value = "tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) {
      const std::size_t source = variant_.source(k);
      const std::string pack = "tessera_pack<" + type_of(k) + ", " + std::to_string(variant_.vector) + ">";
      const bool is_pack = variant_.access[source] == Access::unit;
      if (k == source && is_pack) {
        text_ += "        const " + pack + " p" + std::to_string(k) + " = *reinterpret_cast<const " + pack + "*>(" +
                 fold_address(k) + ");\n";
      } else if (k == source) {
        text_ +=
            "        const " + value_type(k - 1) + " " + operand_name(k) + " = " + loaded(k, fold_address(k)) + ";\n";
      }
      value += is_pack ? ", tessera_load(p" + std::to_string(source) + ".values + k)" : ", " + operand_name(source);
    }
    text_ += "#pragma unroll\n        for (int k = 0; k < @W; ++k) " + to + value + ");\n";
  }

  void write_value_loop() {
    const std::string step = std::to_string(which_.shape == FoldShape::columns ? column_rows : team_size());
    const std::string together = std::to_string(element_.body.size() < short_body ? 8 : 4);
    text_ +=
        "  for (tessera_index next = first + lane; next < last;) {\n"
        "    Fold::Group group = Fold::begin();\n"
        "#pragma unroll 1\n"
        "    for (int k = 0; k < 16 && next < last;) {\n"
        "      if (next + (@T - 1) * @S < last) {\n"
        "        @V values[@T];\n"
        "#pragma unroll\n"
        "        for (int n = 0; n < @T; ++n) {\n"
        "          const tessera_index r = next + n * @S;\n";
    const std::string each = write_loads("          ");
    text_ += "          values[n] = " + each +
             ";\n"
             "        }\n"
             "        tessera_taking<Fold>::all(group, values, next, 1, @S);\n"
             "        k += @T;\n"
             "        next += @T * @S;\n"
             "      } else {\n"
             "        const tessera_index r = next;\n";
    const std::string single = write_loads("        ");
    text_ += "        Fold::take(group, " + single +
             ", r);\n"
             "        ++k;\n"
             "        next += @S;\n"
             "      }\n"
             "    }\n"
             "    Fold::join(total, group);\n"
             "  }\n";
    replace_all("@T", together);
    replace_all("@S", step);
    replace_all("@V", quoted(element_.value));
  }

  /// Loads what the value at r is computed from; returns the text of that value.
  std::string write_loads(const std::string& indent) {
    write_positions(which_.kept, variant_.rank, "r", indent);
    std::string value = "tessera_element(a";
    for (std::size_t k = 1; k < operands(); ++k) {
      text_ +=
          indent + "const " + value_type(k - 1) + " " + operand_name(k) + " = " + value_of(k, fold_address(k)) + ";\n";
      value += ", " + operand_name(k);
    }
    return value + ")";
  }

  void replace_all(std::string_view name, const std::string& by) {
    for (std::size_t at = text_.find(name); at != text_.npos; at = text_.find(name, at + by.size()))
      text_.replace(at, name.size(), by);
  }

  FoldKernel which_;
};

/// The arguments that both kernels have behind their pointers and scalars.
void put_sizes(device::launching::Arguments& arguments, const ReductionTask& task, const DeviceVariant& variant,
               const FoldCut& cut, std::size_t operands, int rank) {
  const Finish& finish = task.reduction.finish;
  arguments.put(finish.count);
  arguments.put(finish.correction);
  put_cut(arguments, task, variant, cut, rank);
  for (std::size_t k = 0; k < operands; ++k) {
    for (const int axis : fold_axes(variant, task.kept, k))
      arguments.put_index(task.space.operands[k].strides[at(axis)], variant.wide);
  }
}

bool fits_narrow(std::ptrdiff_t value) { return value <= std::numeric_limits<std::int32_t>::max() / 2; }

/// Whether accesses of `count` elements begin at aligned addresses wherever the operand is read along an axis.
bool is_aligned(const ReductionTask& task, const Operand& operand, DType dtype, int count, int along) {
  const auto bytes = static_cast<std::uintptr_t>(item_size(dtype) * count);
  if (reinterpret_cast<std::uintptr_t>(operand.data) % bytes != 0) return false;
  for (int axis = 0; axis < task.space.rank; ++axis) {
    if (axis != along && operand.strides[at(axis)] % count != 0) return false;
  }
  return true;
}

/// Sets the elements that one access moves, from operand number `first` on, if all of those that have several allow it.
void choose_vector(const ReductionTask& task, const DeviceElement& element, std::size_t first, DeviceVariant& variant) {
  std::ptrdiff_t widest = 0;
  for (std::size_t k = first; k < task.space.operands.size(); ++k) {
    if (variant.access[k] == Access::strided) return;
    if (variant.access[k] == Access::unit) widest = std::max(widest, item_size(dtype_at(element, variant.target, k)));
  }
  if (widest == 0) return;
  const int count = static_cast<int>(access_bytes / widest);
  if (task.by_columns || task.extent(task.last_reduced()) % count != 0) return;
  for (std::size_t k = first; k < task.space.operands.size(); ++k) {
    if (variant.access[k] == Access::unit &&
        !is_aligned(task, task.space.operands[k], dtype_at(element, variant.target, k), count, task.last_reduced()))
      return;
  }
  variant.vector = count;
}

/// The same for rows that begin anywhere, each of which lies along one axis, and all operands' at the same distance from an aligned address.
void choose_row_packs(const ReductionTask& task, const DeviceElement& element, DeviceVariant& variant) {
  constexpr std::ptrdiff_t least_packs = 8;
  if (task.by_columns || task.space.rank != task.kept + 1) return;
  const Operand* first = nullptr;
  std::ptrdiff_t widest = 1;
  for (std::size_t k = 1; k < task.space.operands.size(); ++k) {
    if (variant.access[k] == Access::strided) return;
    if (variant.access[k] != Access::unit) continue;
    widest = std::max(widest, item_size(element.leaves[k - 1]));
    if (first == nullptr) first = &task.space.operands[k];
  }
  const std::ptrdiff_t count = access_bytes / widest;
  if (first == nullptr || count < 2 || task.extent(task.last_reduced()) < least_packs * count) return;
  std::uintptr_t place = 0;
  for (std::size_t k = 1; k < task.space.operands.size(); ++k) {
    if (variant.access[k] != Access::unit) continue;
    const Operand& operand = task.space.operands[k];
    const auto item = static_cast<std::uintptr_t>(item_size(element.leaves[k - 1]));
    const auto address = reinterpret_cast<std::uintptr_t>(operand.data);
    const std::uintptr_t own = address / item % static_cast<std::uintptr_t>(count);
    if (&operand == first) place = own;
    if (address % item != 0 || own != place) return;
    for (int axis = 0; axis < task.kept; ++axis) {
      if ((operand.strides[at(axis)] - first->strides[at(axis)]) % count != 0) return;
    }
  }
  variant.vector = static_cast<int>(count);
  variant.in_rows = true;
}

/// The same for columns: threads then fold several neighbours, which each access loads.
void choose_column_packs(const ReductionTask& task, const DeviceElement& element, DeviceVariant& variant) {
  constexpr std::ptrdiff_t most_bytes = 32;  // of a thread's accumulators
  const ReduceOp op = task.reduction.op;
  if (!is_small(op, element.value)) return;
  const int along = task.last_kept();
  std::ptrdiff_t widest = 1;
  for (std::size_t k = 1; k < task.space.operands.size(); ++k) {
    const Operand& operand = task.space.operands[k];
    const std::ptrdiff_t step = operand.strides[at(along)];
    if (operand.generate != nullptr || step < 0 || step > 1) return;
    if (step == 1) widest = std::max(widest, item_size(element.leaves[k - 1]));
  }
  const std::ptrdiff_t count =
      std::min(access_bytes / widest, most_bytes / device_accumulator_bytes(op, element.value));
  if (count < 2 || task.extent(along) % count != 0) return;
  const std::ptrdiff_t useful = std::max<std::ptrdiff_t>(1, task.reduced / least_wide_part);
  if (blocks_for(task.outputs, warp * count) * useful < enough_wide_blocks) return;
  core::SmallVector<Access, 8> access = variant.access;
  for (std::size_t k = 1; k < task.space.operands.size(); ++k) {
    const Operand& operand = task.space.operands[k];
    if (access[k] == Access::constant) continue;
    access[k] = operand.strides[at(along)] == 1 ? Access::unit : Access::strided;
    if (access[k] == Access::unit && !is_aligned(task, operand, element.leaves[k - 1], static_cast<int>(count), along))
      return;
  }
  variant.access = std::move(access);
  variant.vector = static_cast<int>(count);
  variant.along = along;
}

/// How an operand is read along the last axis, of the reduced ones the fastest.
Access access_of(const ReductionTask& task, const Operand& operand, std::ptrdiff_t reach) {
  const std::ptrdiff_t step = operand.strides[at(task.last_reduced())];
  if (operand.generate != nullptr) return reach == 0 ? Access::constant : Access::strided;
  if (reach == 0) return Access::constant;
  return step == 0 ? Access::repeated : step == 1 ? Access::unit : Access::strided;
}

DeviceVariant variant_of(const ReductionTask& task, const DeviceElement& element, DType target) {
  DeviceVariant variant{.target = target, .rank = task.space.rank};
  variant.wide = !fits_narrow(task.outputs) || !fits_narrow(task.reduced);
  for (std::size_t k = 0; k < task.space.operands.size(); ++k) {
    const Operand& operand = task.space.operands[k];
    std::ptrdiff_t reach = 0;
    for (int axis = 0; axis < task.space.rank; ++axis) {
      std::ptrdiff_t along = 0;
      const bool overflows = __builtin_mul_overflow(std::abs(operand.strides[at(axis)]), task.extent(axis), &along) ||
                             __builtin_add_overflow(reach, along, &reach);
      if (overflows || !fits_narrow(reach)) variant.wide = true;
    }
    variant.access.push_back(access_of(task, operand, reach));
  }
  find_shared_operands(task.space.operands, task.space.rank, element, variant);
  return variant;
}

}  // namespace

void put_cut(device::launching::Arguments& arguments, const ReductionTask& task, const DeviceVariant& variant,
             const FoldCut& cut, int rank) {
  const auto put_extent = [&](std::ptrdiff_t extent) {
    arguments.put_index(extent, variant.wide);
    put_divisor(arguments, extent, variant.wide);
  };
  for (const std::ptrdiff_t size : {task.outputs, task.reduced, cut.parts, cut.part_size})
    arguments.put_index(size, variant.wide);
  put_extent(cut.blocks);
  for (int axis = 1; axis < rank; ++axis) {
    if (axis != task.kept) put_extent(task.extent(axis));
  }
}

FoldCut fold_cut(const ReductionTask& task, const DeviceElement& element, const DeviceVariant& variant) {
  FoldCut cut;
  std::ptrdiff_t least = least_part;
  if (task.by_columns) {
    const bool is_wide = variant.along >= 0;
    cut.shape = FoldShape::columns;
    cut.blocks = blocks_for(task.outputs, is_wide ? warp * variant.vector : warp);
    least = is_wide ? least_wide_part : least_column_part;
  } else {
    cut.shape = task.reduced <= thread_values && !variant.in_rows ? FoldShape::threads
                : task.reduced <= quad_values                     ? FoldShape::quads
                : task.reduced <= lanes_values                    ? FoldShape::lanes
                : task.reduced <= warp_values                     ? FoldShape::warps
                                                                  : FoldShape::blocks;
    if (cut.shape == FoldShape::threads) {
      cut.most = std::max(4, variant.vector);
      while (cut.most < task.reduced) cut.most *= 2;
    }
    const bool is_many = cut.shape == FoldShape::quads && task.outputs >= many_outputs;
    if (is_many && variant.vector > 1 && !variant.in_rows && is_small(task.reduction.op, element.value))
      cut.each = static_cast<int>(quad_outputs);
    cut.blocks = blocks_for(task.outputs, fold_threads / team_of(cut.shape) * cut.each);
  }
  const std::ptrdiff_t useful = std::max<std::ptrdiff_t>(1, task.reduced / least);
  const std::ptrdiff_t parts = std::min(useful, blocks_for(enough_blocks, cut.blocks));
  cut.part_size = std::max<std::ptrdiff_t>(1, blocks_for(blocks_for(task.reduced, parts), fold_threads) * fold_threads);
  cut.parts = std::max<std::ptrdiff_t>(1, blocks_for(task.reduced, cut.part_size));
  cut.merging = cut.parts > many_parts ? static_cast<int>(fold_threads) : static_cast<int>(warp);
  return cut;
}

std::ptrdiff_t device_accumulator_bytes(ReduceOp op, DType value) {
  switch (op) {
    case ReduceOp::sum:
    case ReduceOp::product:
    case ReduceOp::mean: return item_size(wide(value));
    case ReduceOp::minimum:
    case ReduceOp::maximum: return item_size(word(value));
    case ReduceOp::any:
    case ReduceOp::all: return 4;
    case ReduceOp::argmin:
    case ReduceOp::argmax: return 16;
    case ReduceOp::variance:
    case ReduceOp::deviation: return 24;
    case ReduceOp::log_sum_exp: return 2 * item_size(value);
    case ReduceOp::norm: break;
  }
  return part_of(value) == DType::float64 ? 16 : 8;
}

DeviceVariant folding_variant(const ReductionTask& task, const DeviceElement& element, DType target) {
  DeviceVariant variant = variant_of(task, element, target);
  choose_vector(task, element, 1, variant);
  if (variant.vector == 1) choose_row_packs(task, element, variant);
  if (task.by_columns) choose_column_packs(task, element, variant);
  return variant;
}

DeviceVariant normalising_variant(const ReductionTask& task, const DeviceElement& element, DType target) {
  DeviceVariant variant = variant_of(task, element, target);
  if (variant.access.front() == Access::unit) choose_vector(task, element, 0, variant);
  return variant;
}

std::string folding_support(const DeviceElement& element, DType target) {
  return device_support(element, target) + device_folds;
}

std::string folding_kernel(const DeviceElement& element, const DeviceVariant& variant, const FoldKernel& which) {
  return FoldingWriter(element, variant, which).write_folding();
}

void put_folding_arguments(device::launching::Arguments& arguments, const ReductionTask& task,
                           const DeviceElement& element, const DeviceVariant& variant, const FoldCut& cut,
                           void* partials, std::span<const std::byte> scalars) {
  put_operands(arguments, task.space.operands);
  arguments.put(partials);
  put_scalars(arguments, scalars, element.scalars.size());
  put_sizes(arguments, task, variant, cut, task.space.operands.size(), task.space.rank);
}

std::string merging_kernel(const DeviceElement& element, const DeviceVariant& variant, const FoldKernel& which) {
  return FoldingWriter(element, variant, which).write_merging();
}

void put_merging_arguments(device::launching::Arguments& arguments, const ReductionTask& task,
                           const DeviceVariant& variant, const FoldCut& cut, void* partials) {
  arguments.put(task.space.operands.front().data);
  arguments.put(partials);
  put_sizes(arguments, task, variant, cut, 1, task.kept);
}

}  // namespace tessera::plan
