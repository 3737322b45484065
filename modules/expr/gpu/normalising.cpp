module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Writing the CUDA kernels of normalisations, and laying out their arguments.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t lanes = 8;  // of a warp, for short rows
constexpr std::ptrdiff_t warp = 32;
constexpr std::ptrdiff_t most_held = 32;  // values of a thread, in 32-bit registers

/// Code for the statistics: every thread of a team gets what its Fold makes of all their accumulators.
constexpr const char* sharing_text = R"cuda(
template <class C> struct tessera_fold_largest {
  typedef C Accumulator;
  __device__ static C merge(C a, C b) { return tessera_larger(a, b); }
};
template <class T> __device__ inline void tessera_store_if(bool present, T* to, const T& value) {
  if (present) *to = value;
}
#ifdef __CUDA_ARCH__
// What is computed before a store stays outside of the condition, which would be a branch otherwise.
__device__ inline void tessera_store_if(bool present, float* to, const float& value) {
  asm volatile("{\n.reg .pred p;\nsetp.ne.u32 p, %0, 0;\n@p st.global.f32 [%1], %2;\n}"
               : : "r"((unsigned int)present), "l"(__cvta_generic_to_global(to)), "f"(value) : "memory");
}
#endif
template <int lanes, class A> __device__ inline A tessera_first_of_lanes(const A& a) {
  union Words {
    A value;
    unsigned int word[sizeof(A) / 4];
    __device__ Words() {}
  } words;
  words.value = a;
#pragma unroll
  for (int k = 0; k < (int)(sizeof(A) / 4); ++k) words.word[k] = __shfl_sync(0xffffffffu, words.word[k], 0, lanes);
  return words.value;
}
// threads: up to 32 lanes of a warp, 0 for columns of a block, otherwise all threads of the block.
template <class Fold, int threads> __device__ inline typename Fold::Accumulator tessera_share(
    typename Fold::Accumulator a) {
  typedef typename Fold::Accumulator A;
  constexpr int lanes = threads > 0 && threads < 32 ? threads : 32;
  if (threads > 0 && threads <= 32) return tessera_first_of_lanes<lanes>(tessera_merge_team<Fold, lanes>(a));
  __shared__ __align__(16) unsigned char memory[32 * sizeof(A)];
  A* const shared = reinterpret_cast<A*>(memory);
  a = threads == 0 ? tessera_merge_columns<Fold, 8>(a) : tessera_merge_team<Fold, threads == 0 ? 256 : threads>(a);
  __syncthreads();
  if (threads == 0 ? threadIdx.x < 32 : threadIdx.x == 0) shared[threadIdx.x] = a;
  __syncthreads();
  return shared[threads == 0 ? threadIdx.x % 32 : 0];
}
)cuda";

/// Operands are numbered: the target, the outer expression's leaves but for the normalised one, the inner's leaves.
class NormalisingWriter : public KernelWriter {
 public:
  NormalisingWriter(const NormalisingKernel& kernel, const DeviceElement& all, const DeviceVariant& variant)
      : KernelWriter(all, variant), kernel_(kernel) {}

  /// Axes along which the kernel multiplies by a stride of an operand.
  static core::SmallVector<int, most_axes> axes_of(const DeviceVariant& variant, std::size_t operand) {
    core::SmallVector<int, most_axes> axes;
    if (variant.access[operand] == Access::constant) return axes;
    const int last = variant.rank - (variant.access[operand] == Access::strided ? 0 : 1);
    for (int axis = 0; axis < last; ++axis) axes.push_back(axis);
    return axes;
  }

  std::string write() {
    write_types();
    write_pointers();
    text_ += "  void* partials;\n";
    write_scalars();
    text_ += "double epsilon;\n  double share;\n  tessera_index outputs, reduced, parts, part_size;\n" +
             divisor_members("blocks");
    for (int axis = 1; axis < variant_.rank; ++axis) {
      if (axis != kernel_.kept) text_ += divisor_members("extent" + std::to_string(axis));
    }
    for (std::size_t k = 0; k < operands(); ++k) {
      for (const int axis : axes_of(k)) text_ += "  tessera_offset " + stride_name(k, axis) + ";\n";
    }
    text_ += "};\n\n";
    text_ += device::launching::quotient_support(variant_.wide);
    write_function("tessera_outer", kernel_.outer, 0);
    write_function("tessera_inner", kernel_.inner, kernel_.outer.scalars.size());
    write_kernel();
    return std::move(text_);
  }

 private:
  core::SmallVector<int, most_axes> axes_of(std::size_t operand) const { return axes_of(variant_, operand); }

  std::string place_of(std::size_t operand) const {
    std::string sum = "a." + operand_name(operand);
    for (const int axis : axes_of(operand)) sum += " + i" + std::to_string(axis) + " * a." + stride_name(operand, axis);
    if (variant_.access[operand] == Access::unit) sum += " + i" + std::to_string(variant_.rank - 1);
    return sum;
  }

  static std::string computed_name(DType dtype) {
    const bool sixteen = dtype == DType::float16 || dtype == DType::bfloat16;
    return std::string(device_name(sixteen ? DType::float32 : dtype));
  }

  /// One of the expressions, whose scalars begin with number `first` of all.
  void write_function(const std::string& name, const DeviceElement& element, std::size_t first) {
    text_ += "static __device__ __forceinline__ " + std::string(device_name(element.value)) + " " + name +
             "(const tessera_arguments& a";
    for (std::size_t k = 0; k < element.leaves.size(); ++k)
      text_ += ", const " + computed_name(element.leaves[k]) + " x" + std::to_string(k);
    text_ += ") {\n";
    for (std::size_t k = 0; k < element.scalars.size(); ++k) {
      text_ += "  const " + std::string(device_name(element.scalars[k])) + " s" + std::to_string(k) + " = a.s" +
               std::to_string(first + k) + ";\n";
    }
    text_ += std::string(element.body) + "  return " + std::string(element.result) + ";\n}\n\n";
  }

  std::string step() const { return std::to_string(kernel_.threads == 0 ? 8 : kernel_.threads); }
  std::string width() const { return std::to_string(variant_.vector); }
  std::string packs() const { return std::to_string(kernel_.held / variant_.vector); }
  bool is_standardising() const { return kernel_.op == NormaliseOp::standardise; }

  std::string pack_of(std::size_t operand) const { return "tessera_pack<" + type_of(operand) + ", " + width() + ">"; }

  void write_share(const std::string& type, const std::string& variable) {
    text_ += "  " + variable + " = tessera_share<" + type + ", " + std::to_string(kernel_.threads) + ">(" + variable +
             ");\n";
  }

  /// Loads the operands from number `operand` on that belong to an expression's leaves, those at r if `present`; values are named by `letter`.
  /// Returns the arguments of the expression's function for value number j of the pack. `skipped` is the leaf that is not in memory.
  std::string write_leaves(const DeviceElement& element, std::size_t operand, char letter, std::size_t skipped) {
    std::string call = "(a";
    for (std::size_t k = 0; k < element.leaves.size(); ++k) {
      if (k == skipped) {
        call += ", normalised";
        continue;
      }
      const std::string name = letter + std::to_string(k);
      const bool is_pack = variant_.access[operand] == Access::unit && variant_.vector > 1;
      const std::string type = is_pack ? pack_of(operand) : computed_name(element.leaves[k]);
      text_.append("      ").append(type).append(" ").append(name).append("{};\n      if (present) ").append(name);
      text_ += is_pack ? " = *reinterpret_cast<const " + type + "*>(" + place_of(operand) + ");\n"
                       : " = " + loaded(operand, place_of(operand)) + ";\n";
      call.append(is_pack ? ", tessera_load(" : ", ").append(name).append(is_pack ? ".values + j)" : "");
      ++operand;
    }
    return call + ")";
  }

  /// The values at r: `to`, in which j is a value's number, becomes each of them, or `otherwise` where there is none. Nothing but the loads
  /// depends on whether there is one, so that the code has no branches.
  void write_values(const std::string& to, const std::string& otherwise) {
    write_positions(kernel_.kept, variant_.rank, "r", "      ");
    const std::string call = write_leaves(kernel_.inner, kernel_.outer.leaves.size(), 'w', kernel_.inner.leaves.size());
    text_ += "#pragma unroll\n      for (int j = 0; j < " + width() +
             "; ++j) {\n        const C value = tessera_inner" + call + ";\n        " + to +
             " = present ? value : " + otherwise + ";\n      }\n";
  }

  /// Stores the results at r: of the values `value` = `from`, in which j is a value's number.
  void write_stores(const std::string& from) {
    const std::string pack = pack_of(0);
    text_ += "      {\n";
    write_positions(kernel_.kept, variant_.rank, "r", "      ");
    const std::string call = write_leaves(kernel_.outer, 1, 'z', kernel_.leaf);
    text_ += "      " + pack + " q;\n#pragma unroll\n      for (int j = 0; j < " + width() +
             "; ++j) {\n        const C value = " + from + ";\n        const C normalised = " + result_ +
             ";\n        tessera_store(q.values + j, tessera_outer" + call + ");\n      }\n      ";
    text_ += variant_.vector > 1 ? "if (present) *reinterpret_cast<" + pack + "*>(" + place_of(0) + ") = q;\n      }\n"
                                 : "tessera_store_if(present, " + place_of(0) + ", q.values[0]);\n      }\n";
  }

  void write_kernel() {
    const std::string c(device_name(kernel_.inner.value));
    text_ += "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(kernel_.block()) + ", " +
             std::to_string(kernel_.resident()) +
             ") tessera_kernel(const __grid_constant__ tessera_arguments a) {\n  typedef " + c + " C;\n";
    text_ += kernel_.held > 0 ? "  const tessera_index block = blockIdx.x;\n"
                              : "  const tessera_index part = a.parts == 1 ? 0 : " + quotient("blockIdx.x", "blocks") +
                                    ", block = blockIdx.x - part * a.blocks;\n";
    if (kernel_.threads == 0) {
      text_ +=
          "  const unsigned int lane = threadIdx.x / 32;\n"
          "  const tessera_index output = block * 32 + threadIdx.x % 32;\n";
    } else {
      text_ += "  const unsigned int lane = threadIdx.x % " + step() + ";\n" +
               "  const tessera_index output = block * (blockDim.x / " + step() + ") + threadIdx.x / " + step() + ";\n";
    }
    const bool whole_blocks =
        kernel_.held > 0 && kernel_.threads >= static_cast<int>(fold_threads);  // one for each row
    text_ += whole_blocks ? "  const bool inside = true;\n" : "  const bool inside = output < a.outputs;\n";
    write_positions(0, kernel_.kept, "output", "  ");
    kernel_.held > 0 ? write_held() : write_parts();
    text_ += "}\n";
  }

  // ------------------------------------------------------------------------------------------- values in registers

  /// Whether pack k of a thread is in its row. The first half always is: otherwise half as many would do (choose_team).
  std::string is_present(const std::string& k) const {
    const int count = kernel_.held / variant_.vector;
    return "inside && (" + k + " < " + std::to_string(count / 2) + " || (lane + " + k + " * " + step() + ") * " +
           width() + " < a.reduced)";
  }

  /// The head of a loop over a thread's packs.
  void begin_packs() {
    text_ += "#pragma unroll\n  for (int k = 0; k < " + packs() + "; ++k) {\n    const tessera_index r = (lane + k * " +
             step() + ") * " + width() + ";\n    const bool present = " + is_present("k") + ";\n";
  }

  void write_held() {
    text_ += "  C held[" + std::to_string(kernel_.held) + "];\n";
    begin_packs();
    write_values("held[k * " + width() + " + j]", is_standardising() ? "(C)0" : "tessera_extremes<C>::lowest()");
    text_ += "  }\n";
    is_standardising() ? write_moments() : write_exponentials();
    begin_packs();
    write_stores("held[k * " + width() + " + j]");
    text_ += "  }\n";
  }

  /// Adds `term`, in which n is a value's number, of all held values to `sum`, a double: of moments up to four at a time in their own type, which
  /// rounds as adding in pairs does, exponentials one by one, so that a softmax does not depend on which thread holds which of them.
  std::string summed(const std::string& sum, const std::string& term) const {
    const bool by_one = kernel_.inner.value == DType::float64 || !is_standardising();
    const int group = by_one ? 1 : std::min(4, kernel_.held);
    std::string text = "#pragma unroll\n  for (int k = 0; k < " + std::to_string(kernel_.held) +
                       "; k += " + std::to_string(group) + ") {\n    C terms[" + std::to_string(group) +
                       "];\n#pragma unroll\n    for (int j = 0; j < " + std::to_string(group) +
                       "; ++j) {\n      const int n = k + j;\n      terms[j] = " + term + ";\n    }\n    " + sum +
                       " += (double)(";
    text += group == 4   ? "(terms[0] + terms[1]) + (terms[2] + terms[3])"
            : group == 2 ? "terms[0] + terms[1]"
                         : "terms[0]";
    return text + ");\n  }\n";
  }

  void write_exponentials() {
    const bool logarithm = kernel_.op == NormaliseOp::log_softmax;
    const std::string held = std::to_string(kernel_.held);
    text_ += "  C shift = held[0];\n#pragma unroll\n  for (int k = 1; k < " + held +
             "; ++k) shift = tessera_larger(shift, held[k]);\n";
    write_share("tessera_fold_largest<C>", "shift");
    text_ += "  const bool is_finite = shift - shift == 0;\n  const C largest = shift;\n  double sum = 0;\n";
    if (!logarithm)
      text_ += "#pragma unroll\n  for (int k = 0; k < " + held + "; ++k) held[k] = exp(held[k] - largest);\n";
    text_ += summed("sum", logarithm ? "exp(held[n] - largest)" : "held[n]");
    write_share("tessera_fold_sum<double, double>", "sum");
    write_exponentials_result(!logarithm);
  }

  /// Of values that are exponentials already, or not.
  void write_exponentials_result(bool are_exponentials) {
    text_ += "  const C none = (C)__uint_as_float(0x7fc00000u);\n";
    if (kernel_.op == NormaliseOp::log_softmax) {
      text_ += "  const C offset = is_finite ? (C)log(sum) : none;\n";
      result_ = "(value - largest) - offset";
    } else {
      text_ += "  const C factor = is_finite ? (C)(1.0 / sum) : none;\n";
      result_ = are_exponentials ? "value * factor" : "exp(value - largest) * factor";
    }
  }

  void write_moments() {
    text_ += "  double total = 0, squares = 0, distances = 0;\n" + summed("total", "held[n]");
    write_share("tessera_fold_sum<double, double>", "total");
    text_ += "  const C mean = (C)(total * a.share);\n#pragma unroll\n  for (int n = 0; n < " +
             std::to_string(kernel_.held) + "; ++n) held[n] = " + is_present("n / " + width()) +
             " ? held[n] - mean : (C)0;\n" + summed("distances", "held[n]") + summed("squares", "held[n] * held[n]");
    write_share("tessera_fold_sum<double, double>", "squares");
    write_share("tessera_fold_sum<double, double>", "distances");
    text_ +=
        "  const double left = squares - distances * distances * a.share;\n"
        "  const C factor = (C)rsqrt((left < 0 ? 0 : left) * a.share + a.epsilon);\n";
    result_ = "value * factor";
  }

  // ------------------------------------------------------------------------------------------------- values read twice

  void write_parts() {
    text_ += std::string("  typedef ") +
             (is_standardising() ? "tessera_fold_variance<C, false>" : "tessera_fold_exponentials<C>") +
             " Fold;\n"
             "  const tessera_index first = part * a.part_size, left = a.reduced - first;\n"
             "  const tessera_index last = inside ? first + (left < a.part_size ? left : a.part_size) : 0;\n";
    if (kernel_.stage == NormaliseStage::whole && !is_standardising()) {
      write_short_exponentials();
      return write_applying();
    }
    text_ += "  Fold::Accumulator total = Fold::identity();\n";
    if (kernel_.stage == NormaliseStage::apply) {
      text_ +=
          "  const Fold::Accumulator* const from = static_cast<const Fold::Accumulator*>(a.partials) + output * "
          "a.parts;\n"
          "  for (tessera_index p = lane; inside && p < a.parts; p += " +
          step() + ") total = Fold::merge(total, from[p]);\n";
    } else {
      text_ += "  {\n";
      write_statistics();
      text_ += "  }\n";
    }
    write_share("Fold", "total");
    if (kernel_.stage == NormaliseStage::statistics) {
      text_ +=
          "  if (lane == 0 && inside) static_cast<Fold::Accumulator*>(a.partials)[output * a.parts + part] = total;\n";
      return;
    }
    if (is_standardising()) {
      text_ +=
          "  const C mean = (C)total.mean;\n"
          "  const C factor = (C)rsqrt((total.squares < 0 ? 0 : total.squares) * a.share + a.epsilon);\n";
      result_ = "(value - mean) * factor";
    } else {
      text_ +=
          "  const C largest = total.largest;\n  const bool is_finite = largest - largest == 0;\n"
          "  const double sum = total.sum;\n";
      write_exponentials_result(false);
    }
    write_applying();
  }

  /// Of few values, which are in a cache when they are read again: first their largest, then the sum relative to it, exactly as of held values.
  void write_short_exponentials() {
    const auto write_pass = [&](const std::string& taken) {
      text_ += "  {\n  tessera_index next = first + lane * " + width() + ";\n";
      write_turns([&](int count) {
        const std::string number = std::to_string(count * variant_.vector);
        text_ += "    C values[" + number + "];\n";
        begin_together(count);
        write_values("values[k * " + width() + " + j]", "(C)0");
        text_ += "    }\n#pragma unroll\n    for (int n = 0; n < " + number + "; ++n) " + taken + "\n";
      });
      text_ += "  }\n";
    };
    text_ += "  C shift = tessera_extremes<C>::lowest();\n";
    write_pass("shift = tessera_larger(shift, values[n]);");
    write_share("tessera_fold_largest<C>", "shift");
    text_ += "  const C largest = shift;\n  const bool is_finite = largest - largest == 0;\n  double sum = 0;\n";
    write_pass("sum += (double)exp(values[n] - largest);");
    write_share("tessera_fold_sum<double, double>", "sum");
    write_exponentials_result(false);
  }

  void write_applying() {
    const std::string values = "values[k * " + width() + " + j]";
    text_ += "  tessera_index next = first + lane * " + width() + ";\n";
    write_turns([&](int count) {
      text_ += "    C values[" + std::to_string(count * variant_.vector) + "];\n";
      begin_together(count);
      write_values(values, "(C)0");
      text_ += "    }\n";
      begin_together(count);
      write_stores(values);
      text_ += "    }\n";
    });
  }

  void write_statistics() {
    text_ += "  tessera_index next = first + lane * " + width() + ";\n";
    write_turns([&](int count) {
      text_ +=
          "    Fold::Group group = Fold::begin();\n    C values[" + std::to_string(count * variant_.vector) + "];\n";
      begin_together(count);
      write_values("values[k * " + width() + " + j]", "(C)0");
      text_ += "    }\n    tessera_taking<Fold>::all(group, values, 0, 1, 1);\n    Fold::join(total, group);\n";
    });
  }

  /// Loops over a thread's packs of the part from `next` on: several at a time, then one by one.
  template <class Body>
  void write_turns(const Body& body) {
    const std::string several = std::to_string(together());
    text_ += "  for (; next + (" + several + " - 1) * " + stride() + " < last; next += " + several + " * " + stride() +
             ") {\n";
    body(together());
    text_ += "  }\n#pragma unroll 1\n  for (; next < last; next += " + stride() + ") {\n";
    body(1);
    text_ += "  }\n";
  }

  /// Packs that a thread loads before it uses the first of them.
  int together() const { return variant_.vector > 1 ? std::max(1, 16 / variant_.vector) : 8; }
  std::string stride() const { return step() + " * " + width(); }

  void begin_together(int count) {
    text_ += "#pragma unroll\n    for (int k = 0; k < " + std::to_string(count) +
             "; ++k) {\n    const tessera_index r = next + k * " + stride() + ";\n    const bool present = true;\n";
  }

  const NormalisingKernel& kernel_;
  std::string result_;
};

}  // namespace

CombinedLeaves::CombinedLeaves(const DeviceElement& outer, const DeviceElement& inner, std::size_t leaf) {
  for (std::size_t k = 0; k < outer.leaves.size(); ++k) {
    if (k != leaf) types.push_back(outer.leaves[k]);
  }
  types.append(inner.leaves.data(), inner.leaves.size());
  element = {.value = inner.value, .leaves = types};
}

CombinedElement::CombinedElement(const DeviceElement& outer, const DeviceElement& inner, std::size_t leaf)
    : CombinedLeaves(outer, inner, leaf) {
  const auto shifted = [&](const DeviceGenerator& generator, std::size_t to, std::size_t scalars) {
    DeviceGenerator moved = generator;
    moved.leaf = to;
    moved.seed = "s" + std::to_string(std::stoul(generator.seed.substr(1)) + scalars);
    generators.push_back(moved);
  };
  for (const DeviceGenerator& generator : outer.generators)
    shifted(generator, generator.leaf - (generator.leaf > leaf ? 1 : 0), 0);
  for (const DeviceGenerator& generator : inner.generators)
    shifted(generator, outer.leaves.size() - 1 + generator.leaf, outer.scalars.size());
  scalars.assign(outer.scalars.begin(), outer.scalars.end());
  scalars.insert(scalars.end(), inner.scalars.begin(), inner.scalars.end());
  body = std::string(outer.body) + std::string(inner.body);
  element.body = body;
  element.scalars = scalars;
  element.generators = generators;
}

std::ptrdiff_t statistics_bytes(NormaliseOp op) { return op == NormaliseOp::standardise ? 24 : 16; }

void choose_team(NormalisingKernel& kernel, const ReductionTask& task, const DeviceVariant& variant) {
  kernel.threads = task.by_columns ? 0 : static_cast<int>(fold_threads);
  kernel.held = 0;
  if (task.by_columns) return;
  const std::ptrdiff_t most = most_held * 4 / std::max<std::ptrdiff_t>(4, item_size(kernel.inner.value));
  const std::ptrdiff_t packs = (task.reduced - 1) / variant.vector + 1;
  // With 64 registers a thread there is no room beside 32 values for the positions along several axes or of several operands.
  const bool is_simple = task.space.rank == task.kept + 1 && task.space.operands.size() <= 2;
  for (const std::ptrdiff_t threads : {lanes, warp, std::ptrdiff_t{256}, std::ptrdiff_t{512}, std::ptrdiff_t{1024}}) {
    const std::ptrdiff_t needed = ((packs - 1) / threads + 1) * variant.vector;
    const bool has_half = threads == lanes || (threads > static_cast<std::ptrdiff_t>(fold_threads) && !is_simple);
    if (needed > (has_half ? most / 2 : most)) continue;
    kernel.threads = static_cast<int>(threads);
    kernel.held = variant.vector;
    while (kernel.held < needed) kernel.held *= 2;
    return;
  }
}

std::string normalising_support(const DeviceElement& all, DType target) {
  return folding_support(all, target) + sharing_text;
}

std::string normalising_kernel(const NormalisingKernel& kernel, const DeviceElement& all,
                               const DeviceVariant& variant) {
  return NormalisingWriter(kernel, all, variant).write();
}

void put_normalising_arguments(device::launching::Arguments& arguments, const ReductionTask& task,
                               const DeviceVariant& variant, const FoldCut& cut, void* partials,
                               std::span<const std::byte> scalars, double epsilon) {
  put_operands(arguments, task.space.operands);
  arguments.put(partials);
  put_scalars(arguments, scalars, scalars.size() / scalar_slot);
  arguments.put(epsilon);
  arguments.put(1 / static_cast<double>(task.reduced));
  put_cut(arguments, task, variant, cut, task.space.rank);
  for (std::size_t k = 0; k < task.space.operands.size(); ++k) {
    for (const int axis : NormalisingWriter::axes_of(variant, k))
      arguments.put_index(task.space.operands[k].strides[static_cast<std::size_t>(axis)], variant.wide);
  }
}

}  // namespace tessera::plan
