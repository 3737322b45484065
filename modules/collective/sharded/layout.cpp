module;
#include <cstddef>
#include <span>
#include <string>
module tessera.collective;
import tessera.core;

// Which layouts fit together.
namespace tessera {

std::string to_string(ShardLayout layout) {
  return layout.is_split() ? "split along axis " + std::to_string(layout.axis()) : "replicated";
}

namespace collective {

void refuse_negative_axis(int axis) {
  throw IndexError(to_string(Failure{.operation = "ShardLayout::split",
                                     .problem = "there is no axis " + std::to_string(axis),
                                     .advice = "axes count from 0"}));
}

std::string text_of(const LaidOut& operand) { return to_string(DDim(operand.shape)) + " " + to_string(operand.layout); }

ShardLayout checked_layout(ShardLayout layout, int rank) {
  if (layout.axis() < rank) return layout;
  throw IndexError(to_string(Failure{.operation = "Sharded",
                                     .problem = "an array of " + std::to_string(rank) + " axes has no axis " +
                                                std::to_string(layout.axis()) + " along which it could be split"}));
}

namespace {

[[noreturn]] void refuse(const char* operation, const char* problem, std::span<const LaidOut> operands,
                         const char* advice = "redistribute() one of them first") {
  std::string text = problem;
  for (std::size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? ": " : " and ") + text_of(operands[i]);
  throw ShapeError(to_string(Failure{.operation = operation, .problem = text, .advice = advice}));
}

/// The extent of the axis that is so many before the last of the result; 1 where there is none.
std::ptrdiff_t extent_from_end(const LaidOut& operand, int from_end) {
  const int axis = static_cast<int>(operand.shape.size()) - 1 - from_end;
  return axis < 0 ? 1 : operand.shape[static_cast<std::size_t>(axis)];
}

}  // namespace

ShardLayout layout_of_elementwise(std::span<const LaidOut> operands, int rank) {
  int from_end = -1;
  for (const LaidOut& operand : operands) {
    if (!operand.layout.is_split()) continue;
    const int own = static_cast<int>(operand.shape.size()) - 1 - operand.layout.axis();
    if (from_end >= 0 && own != from_end) refuse("elementwise", "the layouts of operands do not fit", operands);
    from_end = own;
  }
  if (from_end < 0) return ShardLayout::replicated();
  std::ptrdiff_t extent = 1;
  for (const LaidOut& operand : operands)
    if (operand.layout.is_split()) extent = extent_from_end(operand, from_end);
  for (const LaidOut& operand : operands) {
    const std::ptrdiff_t own = extent_from_end(operand, from_end);
    const bool is_repeated = own == 1 && !operand.layout.is_split();
    if (own != extent && !is_repeated)
      refuse("elementwise", "the shapes of operands do not broadcast", operands, "only what is replicated is repeated");
    if (!operand.layout.is_split() && !is_repeated)
      refuse("elementwise", "the layouts of operands do not fit", operands);
  }
  return ShardLayout::split(rank - 1 - from_end);
}

ProductLayout layout_of_product(const LaidOut& a, const LaidOut& b) {
  const int a_rank = static_cast<int>(a.shape.size());
  const int summed_of_a = a_rank - 1, summed_of_b = 0;
  const bool a_is_split = a.layout.is_split(), b_is_split = b.layout.is_split();
  if (!a_is_split && !b_is_split) return {ShardLayout::replicated(), false};
  if (a_is_split && b_is_split && a.layout.axis() == summed_of_a && b.layout.axis() == summed_of_b)
    return {ShardLayout::replicated(), true};
  if (a_is_split && !b_is_split && a.layout.axis() != summed_of_a) return {ShardLayout::split(a.layout.axis()), false};
  if (!a_is_split && b_is_split && b.layout.axis() != summed_of_b)
    return {ShardLayout::split(a_rank - 1 + b.layout.axis() - 1), false};
  const LaidOut both[] = {a, b};
  refuse("dot",
         "the factors do not lie as a product needs: one replicated and the other split along an axis that stays, or "
         "both along the one that is summed over",
         both);
}

}  // namespace collective

}  // namespace tessera
