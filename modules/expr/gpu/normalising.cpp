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

  std::string write() {
    write_types();
    write_pointers();
    write_scalars();
    text_ += "double epsilon;\n  tessera_index outputs, reduced;\n";
    for (int axis = 1; axis < variant_.rank; ++axis) {
      if (axis != kernel_.kept) text_ += "  tessera_index extent" + std::to_string(axis) + ";\n";
    }
    for (std::size_t k = 0; k < operands(); ++k) {
      for (const int axis : axes_of(k)) text_ += "  tessera_offset " + stride_name(k, axis) + ";\n";
    }
    text_ += "};\n\n";
    write_function("tessera_outer", kernel_.outer, 0);
    write_function("tessera_inner", kernel_.inner, kernel_.outer.scalars.size());
    write_kernel();
    return std::move(text_);
  }

 private:
  std::vector<int> axes_of(std::size_t operand) const {
    std::vector<int> axes;
    if (variant_.access[operand] == Access::constant) return axes;
    for (int axis = 0; axis < variant_.rank; ++axis) axes.push_back(axis);
    return axes;
  }

  std::string place_of(std::size_t operand) const {
    std::string sum = "a." + operand_name(operand);
    for (const int axis : axes_of(operand)) sum += " + i" + std::to_string(axis) + " * a." + stride_name(operand, axis);
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

  /// Runs `body` for each value of the thread, `value`; held values may be changed.
  void write_pass(const std::string& body, bool reads) {
    if (kernel_.held > 0) {
      text_ += "#pragma unroll\n  for (int k = 0; k < " + std::to_string(kernel_.held) +
               "; ++k) {\n    const tessera_index r = lane + k * " + step() +
               ";\n    if (!inside || r >= a.reduced) continue;\n";
      if (reads) write_read("held[k]");
      text_ += "    C& value = held[k];\n";
    } else {
      text_ += "  for (tessera_index r = lane; inside && r < a.reduced; r += " + step() + ") {\n    C value;\n";
      write_read("value");
    }
    text_ += body + "  }\n";
  }

  void write_read(const std::string& to) {
    text_ += "    {\n";
    write_positions(kernel_.kept, variant_.rank, "r", "      ");
    const std::size_t first = kernel_.outer.leaves.size();  // operand number of the inner's first leaf
    std::string call;
    for (std::size_t k = 0; k < kernel_.inner.leaves.size(); ++k) {
      text_ += "      const " + computed_name(kernel_.inner.leaves[k]) + " w" + std::to_string(k) + " = " +
               loaded(first + k, place_of(first + k)) + ";\n";
      call += ", w" + std::to_string(k);
    }
    text_ += "      " + to + " = tessera_inner(a" + call + ");\n    }\n";
  }

  std::string step() const { return std::to_string(kernel_.threads == 0 ? 8 : kernel_.threads); }

  void write_share(const std::string& type, const std::string& variable) {
    text_ += "  " + variable + " = tessera_share<" + type + ", " + std::to_string(kernel_.threads) + ">(" + variable +
             ");\n";
  }

  void write_kernel() {
    const std::string c(device_name(kernel_.inner.value));
    text_ += "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(kernel_.block()) + ", " +
             std::to_string(kernel_.resident()) +
             ") tessera_kernel(const __grid_constant__ tessera_arguments a) {\n  typedef " + c + " C;\n";
    if (kernel_.threads == 0) {
      text_ +=
          "  const unsigned int lane = threadIdx.x / 32;\n"
          "  const tessera_index output = (tessera_index)blockIdx.x * 32 + threadIdx.x % 32;\n";
    } else {
      text_ += "  const unsigned int lane = threadIdx.x % " + step() + ";\n" +
               "  const tessera_index output = (tessera_index)blockIdx.x * (blockDim.x / " + step() +
               ") + threadIdx.x / " + step() + ";\n";
    }
    text_ += "  const bool inside = output < a.outputs;\n";
    write_positions(0, kernel_.kept, "output", "  ");
    if (kernel_.held > 0) text_ += "  C held[" + std::to_string(kernel_.held) + "];\n";
    kernel_.op == NormaliseOp::standardise ? write_moments() : write_exponentials();
    write_results();
  }

  void write_exponentials() {
    const bool logarithm = kernel_.op == NormaliseOp::log_softmax;
    const bool keeps = kernel_.held > 0 && !logarithm;  // exponentials instead of values
    text_ += "  C shift = tessera_extremes<C>::lowest();\n";
    write_pass("    shift = tessera_maximum(shift, value);\n", true);
    write_share("tessera_fold_maximum<C, C>", "shift");
    text_ += "  const bool is_finite = shift - shift == 0;\n  const C largest = shift;\n  double sum = 0;\n";
    write_pass(keeps ? "    value = exp(value - largest);\n    sum += (double)value;\n"
                     : "    sum += (double)exp(value - largest);\n",
               false);
    write_share("tessera_fold_sum<double, double>", "sum");
    text_ += "  const C none = (C)__uint_as_float(0x7fc00000u);\n";
    if (logarithm) {
      text_ += "  const C offset = is_finite ? (C)log(sum) : none;\n";
      result_ = "(value - largest) - offset";
    } else {
      text_ += "  const C factor = is_finite ? (C)(1.0 / sum) : none;\n";
      result_ = keeps ? "value * factor" : "exp(value - largest) * factor";
    }
  }

  void write_moments() {
    text_ += "  double total = 0;\n";
    write_pass("    total += (double)value;\n", true);
    write_share("tessera_fold_sum<double, double>", "total");
    text_ += "  const C mean = (C)(total / (double)a.reduced);\n  double squares = 0, distances = 0;\n";
    write_pass(
        "    const C distance = value - mean;\n    distances += (double)distance;\n"
        "    squares += (double)distance * (double)distance;\n",
        false);
    write_share("tessera_fold_sum<double, double>", "squares");
    write_share("tessera_fold_sum<double, double>", "distances");
    text_ +=
        "  const double count = (double)a.reduced, left = squares - distances * distances / count;\n"
        "  const C factor = (C)(1.0 / sqrt((left < 0 ? 0 : left) / count + a.epsilon));\n";
    result_ = "(value - mean) * factor";
  }

  /// The outer expression of each result.
  void write_results() {
    std::string body = "    const C normalised = " + result_ + ";\n";
    std::string call;
    std::string loads;
    for (std::size_t k = 0, operand = 1; k < kernel_.outer.leaves.size(); ++k) {
      if (k == kernel_.leaf) {
        call += ", normalised";
        continue;
      }
      loads += "    const " + computed_name(kernel_.outer.leaves[k]) + " z" + std::to_string(k) + " = " +
               loaded(operand, place_of(operand)) + ";\n";
      call += ", z" + std::to_string(k);
      ++operand;
    }
    std::string positions;
    std::swap(positions, text_);
    write_positions(kernel_.kept, variant_.rank, "r", "    ");
    std::swap(positions, text_);
    body += positions + loads + "    tessera_store(" + place_of(0) + ", tessera_outer(a" + call + "));\n";
    write_pass(body, false);
    text_ += "}\n";
  }

  const NormalisingKernel& kernel_;
  std::string result_;
};

}  // namespace

CombinedElement::CombinedElement(const DeviceElement& outer, const DeviceElement& inner, std::size_t leaf) {
  for (std::size_t k = 0; k < outer.leaves.size(); ++k) {
    if (k != leaf) leaves.push_back(outer.leaves[k]);
  }
  const auto shifted = [&](const DeviceGenerator& generator, std::size_t to, std::size_t scalars) {
    DeviceGenerator moved = generator;
    moved.leaf = to;
    moved.seed = "s" + std::to_string(std::stoul(generator.seed.substr(1)) + scalars);
    generators.push_back(moved);
  };
  for (const DeviceGenerator& generator : outer.generators)
    shifted(generator, generator.leaf - (generator.leaf > leaf ? 1 : 0), 0);
  for (const DeviceGenerator& generator : inner.generators)
    shifted(generator, leaves.size() + generator.leaf, outer.scalars.size());
  leaves.insert(leaves.end(), inner.leaves.begin(), inner.leaves.end());
  scalars.assign(outer.scalars.begin(), outer.scalars.end());
  scalars.insert(scalars.end(), inner.scalars.begin(), inner.scalars.end());
  body = std::string(outer.body) + std::string(inner.body);
  element = {.body = body, .value = inner.value, .leaves = leaves, .scalars = scalars, .generators = generators};
}

void choose_team(NormalisingKernel& kernel, const ReductionTask& task) {
  if (task.by_columns) {
    kernel.threads = 0;
    kernel.held = 0;
    return;
  }
  const std::ptrdiff_t most = most_held * 4 / std::max<std::ptrdiff_t>(4, item_size(kernel.inner.value));
  for (const std::ptrdiff_t threads : {lanes, warp, std::ptrdiff_t{256}, std::ptrdiff_t{512}, std::ptrdiff_t{1024}}) {
    kernel.threads = static_cast<int>(threads);
    const std::ptrdiff_t needed = (task.reduced - 1) / threads + 1;
    if (needed > (threads == lanes ? most / 2 : most)) continue;
    kernel.held = 1;
    while (kernel.held < needed) kernel.held *= 2;
    return;
  }
  kernel.held = 0;
}

std::string normalising_support(const DeviceElement& all, DType target) {
  return folding_support(all, target) + sharing_text;
}

std::string normalising_kernel(const NormalisingKernel& kernel, const DeviceElement& all,
                               const DeviceVariant& variant) {
  return NormalisingWriter(kernel, all, variant).write();
}

std::vector<std::byte> normalising_arguments(const ReductionTask& task, const DeviceElement& element,
                                             const DeviceVariant& variant, std::span<const std::byte> scalars,
                                             double epsilon) {
  device::launching::Arguments arguments;
  put_operands(arguments, task.space.operands);
  put_scalars(arguments, scalars, element.scalars.size());
  arguments.put(epsilon);
  arguments.put_index(task.outputs, variant.wide);
  arguments.put_index(task.reduced, variant.wide);
  for (int axis = 1; axis < task.space.rank; ++axis) {
    if (axis != task.kept) arguments.put_index(task.extent(axis), variant.wide);
  }
  for (std::size_t k = 0; k < task.space.operands.size(); ++k) {
    if (variant.access[k] == Access::constant) continue;
    for (int axis = 0; axis < task.space.rank; ++axis)
      arguments.put_index(task.space.operands[k].strides[static_cast<std::size_t>(axis)], variant.wide);
  }
  return std::move(arguments).take();
}

}  // namespace tessera::plan
