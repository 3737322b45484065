module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
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

// Elementwise work on a GPU: one kernel on this thread's stream.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t threads = device::tile_threads;         // of a block
constexpr std::ptrdiff_t most_blocks = std::ptrdiff_t{1} << 22;  // so that i + step fits 32 bits

/// Elements of so many bytes as unsigned integers, or as pairs of doubles.
template <DType Type>
DeviceWork copying() {
  static constexpr DeviceOperation operations[] = {{.kind = DeviceOperation::Kind::leaf, .value = Type}};
  static constinit DeviceForm form{.operations = operations, .append_scalars = nullptr, .function = "[Node = copy]"};
  return {.form = &form, .node = nullptr, .written = Type};
}

/// Blocks of which each thread has one piece of work.
std::ptrdiff_t blocks_for(const LoopPlan& plan, const DeviceVariant& variant) {
  if (variant.edge != 0) return tile_count(plan, variant);
  const std::ptrdiff_t pieces = (plan.elements - 1) / variant.vector + 1;
  return (pieces - 1) / threads + 1;
}

}  // namespace

DeviceWork copying_work(std::ptrdiff_t item) {
  switch (item) {
    case 1: return copying<DType::uint8>();
    case 2: return copying<DType::uint16>();
    case 4: return copying<DType::uint32>();
    case 8: return copying<DType::uint64>();
    default: return copying<DType::complex128>();
  }
}

void require_device_text(const DeviceElement& element) {
  if (element.missing != nullptr) throw_no_device_text(element.missing);
}

unsigned grid_of(std::ptrdiff_t blocks) {
  constexpr std::ptrdiff_t most = std::numeric_limits<std::int32_t>::max();
  if (blocks <= most) return static_cast<unsigned>(blocks);
  throw ShapeError(to_string(
      Failure{.operation = "reduction on a GPU",
              .problem = "it needs " + std::to_string(blocks) + " blocks of threads, more than " + std::to_string(most),
              .advice = "reduce it in parts"}));
}

DeviceLoopPlan device_plan(const LoopPlan& loop, const DeviceElement& element, DType written) {
  DeviceLoopPlan plan{.variant = device_variant(loop, element, written), .blocks = 0};
  plan.blocks = std::min(most_blocks, blocks_for(loop, plan.variant));
  return plan;
}

void run_on_device(const Loop& loop) {
  const LoopPlan plan = simplified(loop);
  if (plan.elements == 0) return;
  DeviceForm& form = *loop.device.form;
  const DeviceElement& element = element_of(form);
  require_device_text(element);
  const GpuPlace place{loop.place.ordinal()};
  DeviceLoopPlan work = device_plan(plan, element, loop.device.written);
  const DeviceKernelKey key{.variant = std::move(work.variant), .place = place};
  const device::Kernel& kernel = kernel_of_form(
      form, key, [&] { return device_support(element, key.variant.target) + device_kernel(element, key.variant); });
  const std::vector<std::byte> scalars = scalars_of(form, loop.device.node);
  const std::vector<std::byte> arguments = device_arguments(plan, element, key.variant, scalars);
  kernel.launch(Stream::current(place), static_cast<unsigned>(work.blocks), threads, 0, arguments, name_of(form),
                std::source_location::current());
}

}  // namespace tessera::plan
