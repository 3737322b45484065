module;
#include <algorithm>
#include <cstddef>
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

// From a lowered assignment to the text and the arguments of its kernel.
namespace tessera {

void DeviceLaunch::prepare(const plan::DeviceElement& element, const plan::Operand& target, DType dtype,
                           std::span<const std::byte> scalars, Indices indices) {
  const plan::LoopPlan loop = plan::plan_of(plan::Loop{.rank = lowering_->rank(),
                                                       .extents = lowering_->extents(),
                                                       .target = target,
                                                       .leaves = lowering_->leaves(),
                                                       .kernel = nullptr,
                                                       .nodes = nullptr});
  if (loop.elements == 0) return;
  plan::DeviceVariant variant = plan::device_variant(loop, element, dtype);
  variant.wide = variant.wide || indices == Indices::wide;
  kernel_ = plan::device_kernel(element, variant);
  support_ = plan::device_support(element, dtype);
  variant_ = plan::to_string(variant);
  block_threads_ = plan::block_threads(variant);
  device::launching::Arguments arguments;
  plan::put_device_arguments(arguments, loop, element, variant, scalars);
  arguments_ = std::move(arguments).take();
}

}  // namespace tessera
