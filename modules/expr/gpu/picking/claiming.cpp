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

// Kernels, each of which goes through all positions once.
namespace tessera::plan::picking {

namespace {

std::string claim_text(const Claims& claims, Claiming step) {
  std::string text = index_support(is_wide(claims.axes));
  text += "struct tessera_arguments {\n  long long* owners;\n  long long* slots;\n  int* outside;\n";
  text += members_of_lists(claims.axes, claims.indices);
  text += R"cuda(  long long weight[@L];
};
extern "C" __global__ void __launch_bounds__(256) tessera_kernel(const __grid_constant__ tessera_arguments a) {
  const tessera_index stride = (tessera_index)gridDim.x * 256;
  for (tessera_index first = (tessera_index)blockIdx.x * 256 + threadIdx.x; first < a.count; first += stride) {
    tessera_index left = first;
    long long element = 0, slot = 0@D;
)cuda";
  text += walk_axes(claims.axes, "", [](std::size_t) { return std::string(); });
  std::string declared;
  for (std::size_t list = 0; list < claims.indices.size(); ++list) {
    declared += ", at" + std::to_string(list) + " = 0";
    text += "      long long index@I = (long long)a.indices@I[at@I];\n";
    text += count_position(claims.indices[list], list, "");
    text += "      element += index@I * a.weight[@I];\n      slot += index@I * a.step[@I];\n";
    replace_all(text, "@I", std::to_string(list));
  }
  switch (step) {
    case Claiming::look: break;
    case Claiming::check: text += "    a.owners[element] = -1;\n"; break;
    case Claiming::claim: text += "    atomicMax(&a.owners[element], (long long)first);\n"; break;
    case Claiming::assign:
      text += "    a.slots[first] = a.owners[element] == (long long)first ? slot : (long long)0x8000000000000000ull;\n";
  }
  text += "  }\n}\n";
  replace_all(text, "@D", declared);
  replace_all(text, "@L", std::to_string(claims.indices.size()));
  return text;
}

}  // namespace

void claim_elements(const Claims& claims, Claiming step, GpuPlace place, std::int32_t* outside) {
  std::vector<std::ptrdiff_t> weights(claims.indices.size(), 1);  // elements of the axes behind
  for (std::size_t list = weights.size() - 1; list-- > 0;)
    weights[list] = weights[list + 1] * claims.indices[list + 1].extent;
  Claims merged = claims;
  for (MovingIndices& list : merged.indices) list.step /= claims.unit;
  merge_axes(merged.axes);
  const device::Kernel& kernel = device::find_kernel(
      place, claim_text(merged, step), "scatter by indices, " + std::to_string(merged.axes.size()) + " axes");
  device::launching::Arguments arguments;
  arguments.put(static_cast<const void*>(claims.owners));
  arguments.put(static_cast<const void*>(claims.slots));
  arguments.put(static_cast<const void*>(outside));
  put_lists(arguments, merged.axes, merged.indices);
  arguments.put_all(weights);
  kernel.launch(device::Stream::current(place), blocks_for(count_of(merged.axes), picking_threads), picking_threads, 0,
                arguments.padded(), "scatter", std::source_location::current());
}

}  // namespace tessera::plan::picking
