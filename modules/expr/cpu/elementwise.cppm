module;
#include <cstddef>
export module tessera.expr:elementwise;
import tessera.standard;
import tessera.core;
import :plan;
import :blocks;

// The evaluation of elementwise expressions, and how it is going to run for those who want to know without running it.
namespace tessera::plan {

/// The axes after simplification, slowest first, and how the work is cut. `operands` holds the target first, then the leaves.
struct LoopPlan {
  int rank = 0;
  Axes extents{};
  core::SmallVector<Operand, 5> operands{};
  Axes walked_extents{};          // the same axes and operands in the order in which blocks are visited
  std::vector<Operand> walked{};  // on the CPU; `block` names their axes
  Block block{};
  bool strips = false;   // blocks are strips, whose rows are computed one by one
  bool at_once = false;  // no blocks: one call of the kernel on memory as it lies
  std::ptrdiff_t elements = 0;
  std::ptrdiff_t blocks = 0;
  std::ptrdiff_t tasks = 0;  // that may run at the same time
};

/// The first four members of the loop's plan and `elements`: all that a device needs to know.
LoopPlan simplified(const Loop& loop);

/// What run(loop) is going to do; the kernel is not needed. Without elements there is nothing but their number.
LoopPlan plan_of(const Loop& loop);

/// Computes every element of the target; on a GPU, gives the work to this thread's stream.
void run(const Loop& loop);

}  // namespace tessera::plan
