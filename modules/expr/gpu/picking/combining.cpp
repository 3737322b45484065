module;
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <string>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;

// The CUDA kernel that combines elements with values.
namespace tessera::plan::picking {

namespace {

const char* operation_of(Scattering how) {
  switch (how) {
    case Scattering::subtract: return "tessera_subtract";
    case Scattering::multiply: return "tessera_multiply";
    case Scattering::divide: return "tessera_divide";
    case Scattering::minimum: return "tessera_minimum";
    case Scattering::maximum: return "tessera_maximum";
    default: return "tessera_add";
  }
}

/// Where elements are, and where their values begin.
std::vector<MovingIndices> lists_of(const Combination& combination) {
  return {{combination.slots.data(), DType::int64, 0, 1}, {combination.starts.data(), DType::int64, 0, 1}};
}

std::string compute_type(DType type) {
  return core::with_element(type, []<class T>() { return std::string(device_type<compute_t<T>>()); });
}

/// Each thread reads the values of one element one after the other, and rounds as an array would.
std::string combine_text(const Combination& combination, const std::vector<MovedAxis>& axes) {
  const bool is_complex = kind(combination.type) == Kind::complex;
  std::string text = std::string(device_prelude) + (is_complex ? device_complex : "") + device_storage;
  text += index_support(is_wide(axes));
  text += "struct tessera_arguments {\n  @T* to;\n  const @T* from;\n  const long long* order;\n";
  text += members_of_lists(axes, lists_of(combination));
  text += R"cuda(  long long to_step[@R], from_step[@R], value_step;
};
extern "C" __global__ void __launch_bounds__(256) tessera_kernel(const __grid_constant__ tessera_arguments a) {
  const tessera_index stride = (tessera_index)gridDim.x * 256;
  for (tessera_index first = (tessera_index)blockIdx.x * 256 + threadIdx.x; first < a.count; first += stride) {
    tessera_index left = first;
    long long to = 0, from = 0, at0 = 0, at1 = 0;
)cuda";
  text += walk_axes(axes, "", [&](std::size_t axis) {
    return std::string(axes[axis].is_picked() ? "" : " to += digit * a.to_step[@A]; from += digit * a.from_step[@A];");
  });
  text += R"cuda(    @T* const element = a.to + a.indices0[at0] + to;
    @C value = tessera_load(element);
    const long long end = a.indices1[at1 + 1];
    for (long long k = a.indices1[at1]; k < end; ++k) {
      @T rounded;
      tessera_store(&rounded, @F(value, (@C)tessera_load(a.from + a.order[k] * a.value_step + from)));
      value = tessera_load(&rounded);
    }
    tessera_store(element, value);
  }
}
)cuda";
  replace_all(text, "@T", std::string(device_name(combination.type)));
  replace_all(text, "@C", compute_type(combination.type));
  replace_all(text, "@F", operation_of(combination.how));
  replace_all(text, "@R", std::to_string(axes.size()));
  return text;
}

}  // namespace

void combine_elements(const Combination& combination, GpuPlace place) {
  std::vector<MovedAxis> axes{{std::ssize(combination.slots), 0, 0, {1, 1}}};
  axes.insert(axes.end(), combination.others.begin(), combination.others.end());
  if (count_of(axes) == 0) return;
  merge_axes(axes);
  const device::Kernel& kernel = device::find_kernel(
      place, combine_text(combination, axes), "combination by indices, " + std::to_string(axes.size()) + " axes");
  device::launching::Arguments arguments;
  arguments.put(combination.to);
  arguments.put(combination.from);
  arguments.put(static_cast<const void*>(combination.order.data()));
  put_lists(arguments, axes, lists_of(combination));
  for (const MovedAxis& axis : axes) arguments.put(axis.to);
  for (const MovedAxis& axis : axes) arguments.put(axis.from);
  arguments.put(combination.values_step);
  kernel.launch(device::Stream::current(place), blocks_for(count_of(axes), picking_threads), picking_threads, 0,
                arguments.padded(), "combination by indices", std::source_location::current());
}

}  // namespace tessera::plan::picking
