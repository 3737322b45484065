module;
#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.schedule;
import tessera.array;

// When the value of a name may go into its own storage, and when it may get another one.
namespace tessera {

void throw_no_storage(const std::string& shape) {
  throw ShapeError(to_string(Failure{.operation = "assignment",
                                     .problem = "the array on the left has no storage",
                                     .operands = {"the right side is " + shape},
                                     .advice = "give it a shape first, or assign an expression of its full rank"}));
}

bool is_own(const Buffer& buffer, std::span<const std::ptrdiff_t> shape, std::span<const std::ptrdiff_t> strides,
            const void* node, bool (*any_leaf)(const void* node, const plan::LeafVisitor& visit)) {
  if (!buffer.owns()) return false;
  const std::uint32_t names = buffer.names();
  if (names > 1) {
    if (any_leaf == nullptr) return false;
    const plan::NameCounter counter(buffer);
    static_cast<void>(any_leaf(node, counter));
    if (names != 1 + counter.count) return false;
  }
  return storage::has_distinct_elements(shape, strides);
}

namespace {

bool broadcasts_to(std::span<const std::ptrdiff_t> from, std::span<const std::ptrdiff_t> to) {
  return std::ranges::equal(from, to, [](std::ptrdiff_t a, std::ptrdiff_t b) { return a == b || a == 1; });
}

}  // namespace

void check_renaming(std::span<const std::ptrdiff_t> from, std::span<const std::ptrdiff_t> shape) {
  const bool is_empty = std::ranges::find(shape, 0) != shape.end();
  if (!is_empty && !std::ranges::equal(from, shape) && broadcasts_to(from, shape)) {
    throw ShapeError(to_string(Failure{
        .operation = "assignment",
        .problem = "the right side is " + core::shape_text(from) + ", the array on the left " + core::shape_text(shape),
        .advice = "a(ellipsis) = x broadcasts x over the elements of a; a = evaluate(x) gives a the value and "
                  "the shape of x"}));
  }
  if (schedule::thread_context().recorder == nullptr) return;
  throw SchedulerError(to_string(
      Failure{.operation = "assignment in a capture",
              .problem = "the name on the left would need new storage in each replay, because another name shares what "
                         "it has, or its shape is another one than " +
                         core::shape_text(from),
              .advice = "write the elements: a(ellipsis) = x"}));
}

}  // namespace tessera
