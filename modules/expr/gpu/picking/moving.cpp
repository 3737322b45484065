module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
#include <string>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;

// The CUDA kernel that moves items as wide as both sides allow.
namespace tessera::plan::picking {

namespace {

constexpr std::ptrdiff_t items_of_a_block = 1024;  // four of each thread

/// Pairs of neighbours can be moved as one item of twice the size.
bool has_pairs(const Move& move) {
  const auto is_even = [](std::ptrdiff_t number) { return number % 2 == 0; };
  const auto is_aligned = [&](const void* pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(2 * move.item) == 0;
  };
  const MovedAxis& last = move.axes.back();
  return !last.is_picked() && last.to == 1 && last.from == 1 && is_even(last.extent) && is_aligned(move.to) &&
         is_aligned(move.from) &&
         std::all_of(move.axes.begin(), move.axes.end() - 1,
                     [&](const MovedAxis& axis) { return is_even(axis.to) && is_even(axis.from); }) &&
         std::ranges::all_of(move.indices, is_even, &MovingIndices::step);
}

/// Items as wide as both sides allow.
void widen(Move& move) {
  constexpr std::ptrdiff_t widest = 16;
  while (move.item < widest && has_pairs(move)) {
    move.item *= 2;
    for (MovedAxis& axis : move.axes) {
      axis.to /= 2;
      axis.from /= 2;
    }
    for (MovingIndices& indices : move.indices) indices.step /= 2;
    MovedAxis& last = move.axes.back();
    last.extent /= 2;
    last.to = last.from = 1;
  }
}

/// What is written is row-major, so that the number of an item says where it goes.
bool is_written_in_order(const Move& move) {
  std::ptrdiff_t step = 1;
  for (std::size_t axis = move.axes.size(); axis-- > 0; step *= move.axes[axis].extent) {
    if (move.axes[axis].to != step) return false;
  }
  return !move.scatters;
}

/// Four items of each thread are loaded before the first is stored; those beyond the end are the last one, and are not stored.
std::string move_text(const Move& move) {
  const bool in_order = is_written_in_order(move);
  std::string text = device::launching::item_support + index_support(is_wide(move.axes));
  text += "struct tessera_arguments {\n  @T* to;\n  const @T* from;\n  int* outside;\n";
  text += members_of_lists(move.axes, move.indices);
  text += R"cuda(  long long to_step[@R], from_step[@R];
};
extern "C" __global__ void __launch_bounds__(256) tessera_kernel(const __grid_constant__ tessera_arguments a) {
  const tessera_index stride = (tessera_index)gridDim.x * 1024;
  for (tessera_index first = (tessera_index)blockIdx.x * 1024 + threadIdx.x; first < a.count; first += stride) {
    long long @Ofrom[4]@D;
    @T values[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      tessera_index left = first + k * 256 < a.count ? first + k * 256 : a.count - 1;
      @Zfrom[k]@N = 0;
)cuda";
  text += walk_axes(move.axes, "[k]", [&](std::size_t axis) {
    std::string lines;
    if (!in_order && move.axes[axis].to != 0) lines += " to[k] += digit * a.to_step[@A];";
    if (move.axes[axis].from != 0) lines += " from[k] += digit * a.from_step[@A];";
    return lines;
  });
  text += "    }\n";
  std::string declared, zeros;
  for (std::size_t list = 0; list < move.indices.size(); ++list) {
    declared += ", at" + std::to_string(list) + "[4], index" + std::to_string(list) + "[4]";
    zeros += " = at" + std::to_string(list) + "[k]";
    text += "#pragma unroll\n    for (int k = 0; k < 4; ++k) index@I[k] = (long long)a.indices@I[at@I[k]];\n";
    replace_all(text, "@I", std::to_string(list));
  }
  text += "#pragma unroll\n    for (int k = 0; k < 4; ++k) {\n";
  for (std::size_t list = 0; list < move.indices.size(); ++list) {
    text += count_position(move.indices[list], list, "[k]");
    text += "      @W[k] += (long long)((unsigned long long)index@I[k] * (unsigned long long)a.step[@I]);\n";
    replace_all(text, "@I", std::to_string(list));
  }
  text += R"cuda(    }
#pragma unroll
    for (int k = 0; k < 4; ++k) values[k] = a.from[from[k]];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (@C) a.to[@P] = values[k];
    }
  }
}
)cuda";
  replace_all(text, "@C",
              move.scatters ? "first + k * 256 < a.count && index0[k] != (long long)0x8000000000000000ull"
                            : "first + k * 256 < a.count");
  replace_all(text, "@P", in_order ? "first + k * 256" : "to[k]");
  replace_all(text, "@W", move.scatters ? "to" : "from");
  replace_all(text, "@O", in_order ? "" : "to[4], ");
  replace_all(text, "@Z", in_order ? "" : "to[k] = ");
  replace_all(text, "@D", declared);
  replace_all(text, "@N", zeros);
  replace_all(text, "@R", std::to_string(move.axes.size()));
  replace_all(text, "@T", device::launching::item_type(move.item));
  return text;
}

}  // namespace

void move_elements(Move move, GpuPlace place, std::int32_t* outside) {
  if (count_of(move.axes) == 0) return;
  merge_axes(move.axes);
  widen(move);
  const char* const name = move.scatters ? "scatter" : "take";
  const device::Kernel& kernel = device::find_kernel(
      place, move_text(move), name + (" by indices, " + std::to_string(move.axes.size())) + " axes");
  device::launching::Arguments arguments;
  arguments.put(move.to);
  arguments.put(move.from);
  arguments.put(static_cast<const void*>(outside));
  put_lists(arguments, move.axes, move.indices);
  for (const MovedAxis& axis : move.axes) arguments.put(axis.to);
  for (const MovedAxis& axis : move.axes) arguments.put(axis.from);
  device::Stream& stream = device::Stream::current(place);
  if (move.from_uses != nullptr) move.from_uses->order_read(stream);
  if (move.to_uses != nullptr) move.to_uses->order_write(stream);
  kernel.launch(stream, blocks_for(count_of(move.axes), items_of_a_block), picking_threads, 0, arguments.padded(), name,
                std::source_location::current());
  if (move.from_uses != nullptr) move.from_uses->note_read(stream.mark());
  if (move.to_uses != nullptr) move.to_uses->note_write(stream.mark());
}

}  // namespace tessera::plan::picking
