module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <source_location>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;

// The CUDA kernels that read indices, their texts and what they are given.
namespace tessera::plan {

namespace {

constexpr unsigned threads_of_a_block = 256;
constexpr std::ptrdiff_t items_of_a_block = 1024;  // four of each thread
constexpr std::ptrdiff_t most_blocks = std::ptrdiff_t{1} << 22;

std::ptrdiff_t count_of(const std::vector<MovedAxis>& axes) {
  std::ptrdiff_t count = 1;
  for (const MovedAxis& axis : axes) count *= axis.extent;
  return count;
}

/// A step along `outer` is as many along `inner` as that has positions, for both sides and all indices.
bool continues(const MovedAxis& outer, const MovedAxis& inner) {
  const auto goes_on = [&](std::ptrdiff_t step, std::ptrdiff_t along) { return step == along * inner.extent; };
  return goes_on(outer.to, inner.to) && goes_on(outer.from, inner.from) &&
         std::ranges::equal(outer.indices, inner.indices, goes_on);
}

/// Axes that are gone through as one become one, and those of one position none.
void merge(std::vector<MovedAxis>& axes) {
  for (std::size_t axis = axes.size(); axis-- > 0 && axes.size() > 1;) {
    const bool is_one = axis > 0 && continues(axes[axis - 1], axes[axis]);
    if (!is_one && axes[axis].extent != 1) continue;
    if (is_one) {
      axes[axis].extent *= axes[axis - 1].extent;
      axes[axis - 1] = std::move(axes[axis]);
    }
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis));
  }
}

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

/// The number of the items needs 64 bits.
bool is_wide(const std::vector<MovedAxis>& axes) { return count_of(axes) > std::numeric_limits<std::int32_t>::max(); }

const char* index_type(DType type) {
  return type == DType::int32 ? "int" : type == DType::uint64 ? "unsigned long long" : "long long";
}

std::string number_of(std::size_t number) { return std::to_string(number); }

void replace_all(std::string& text, std::string_view name, const std::string& by) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + by.size()))
    text.replace(at, name.size(), by);
}

std::string index_support(bool wide) {
  std::string text = wide ? "typedef unsigned long long tessera_index;\n" : "typedef unsigned int tessera_index;\n";
  return text + device::launching::quotient_support(wide);
}

/// The members that say what is read along which axes; axes_and_indices() puts them.
std::string members(const std::vector<MovedAxis>& axes, const std::vector<MovingIndices>& indices) {
  std::string text;
  for (std::size_t list = 0; list < indices.size(); ++list)
    text += "  const " + std::string(index_type(indices[list].type)) + "* indices" + number_of(list) + ";\n";
  text += "  tessera_index count, extent[@R], factor[@R], shift[@R];\n";
  text += "  long long index_step[@L][@R], axis_extent[@L], step[@L];\n";
  replace_all(text, "@R", number_of(axes.size()));
  replace_all(text, "@L", number_of(indices.size()));
  return text;
}

void put_axes_and_indices(device::launching::Arguments& arguments, const std::vector<MovedAxis>& axes,
                          const std::vector<MovingIndices>& indices) {
  const bool wide = is_wide(axes);
  for (const MovingIndices& list : indices) arguments.put(list.data);
  arguments.put_index(count_of(axes), wide);
  std::vector<device::launching::Divisor> divisors;
  for (const MovedAxis& axis : axes) {
    divisors.push_back(device::launching::divisor_of(axis.extent, wide));
    arguments.put_index(axis.extent, wide);
  }
  for (const auto& divisor : divisors) arguments.put_index(static_cast<std::ptrdiff_t>(divisor.factor), wide);
  for (const auto& divisor : divisors) arguments.put_index(divisor.shift, wide);
  for (std::size_t list = 0; list < indices.size(); ++list) {
    for (const MovedAxis& axis : axes) arguments.put(axis.indices[list]);
  }
  for (const MovingIndices& list : indices) arguments.put(list.extent);
  for (const MovingIndices& list : indices) arguments.put(list.step);
}

/// Text that adds what each axis says to variables that end with `k`, from the item number `left`, which is used up.
std::string walk_axes(const std::vector<MovedAxis>& axes, std::string_view k, auto&& lines_of_axis) {
  std::string text;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    std::string lines = lines_of_axis(axis);
    for (std::size_t list = 0; list < axes[axis].indices.size(); ++list) {
      if (axes[axis].indices[list] != 0)
        lines += " at" + number_of(list) + "@K += digit * a.index_step[" + number_of(list) + "][@A];";
    }
    if (axis > 0) {
      text +=
          "      {\n        const tessera_index next = tessera_quotient(left, a.factor[@A], a.shift[@A]);\n"
          "        const long long digit = (long long)(left - next * a.extent[@A]);\n       " +
          lines + "\n        left = next;\n      }\n";
    } else {
      text += "      {\n        const long long digit = (long long)left;\n       " + lines + "\n      }\n";
    }
    replace_all(text, "@A", number_of(axis));
  }
  replace_all(text, "@K", std::string(k));
  return text;
}

/// Text that makes the index in `index<list>@K` a position along its axis.
std::string count_position(const MovingIndices& indices, std::size_t list, std::string_view k) {
  if (indices.extent == 0) return "";
  std::string text = indices.type == DType::uint64
                         ? "      if ((unsigned long long)index@I@K >= (unsigned long long)a.axis_extent[@I]) {\n"
                         : "      if ((unsigned long long)index@I@K + (unsigned long long)a.axis_extent[@I] >= "
                           "2 * (unsigned long long)a.axis_extent[@I]) {\n";
  text += "        *a.outside = 1;\n        index@I@K = 0;\n      }\n";
  if (indices.type != DType::uint64) text += "      if (index@I@K < 0) index@I@K += a.axis_extent[@I];\n";
  replace_all(text, "@I", number_of(list));
  replace_all(text, "@K", std::string(k));
  return text;
}

/// Four items of each thread are loaded before the first is stored; those beyond the end are the last one, and are not stored.
std::string move_text(const Move& move) {
  const bool in_order = is_written_in_order(move);
  std::string text = device::launching::item_support + index_support(is_wide(move.axes));
  text += "struct tessera_arguments {\n  @T* to;\n  const @T* from;\n  int* outside;\n";
  text += members(move.axes, move.indices);
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
    declared += ", at" + number_of(list) + "[4], index" + number_of(list) + "[4]";
    zeros += " = at" + number_of(list) + "[k]";
    text += "#pragma unroll\n    for (int k = 0; k < 4; ++k) index@I[k] = (long long)a.indices@I[at@I[k]];\n";
    replace_all(text, "@I", number_of(list));
  }
  text += "#pragma unroll\n    for (int k = 0; k < 4; ++k) {\n";
  for (std::size_t list = 0; list < move.indices.size(); ++list) {
    text += count_position(move.indices[list], list, "[k]");
    text += "      @W[k] += (long long)((unsigned long long)index@I[k] * (unsigned long long)a.step[@I]);\n";
    replace_all(text, "@I", number_of(list));
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
  replace_all(text, "@R", number_of(move.axes.size()));
  replace_all(text, "@T", device::launching::item_type(move.item));
  return text;
}

std::string claim_text(const Claims& claims, Claiming step) {
  std::string text = index_support(is_wide(claims.axes));
  text += "struct tessera_arguments {\n  long long* owners;\n  long long* slots;\n  int* outside;\n";
  text += members(claims.axes, claims.indices);
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
    declared += ", at" + number_of(list) + " = 0";
    text += "      long long index@I = (long long)a.indices@I[at@I];\n";
    text += count_position(claims.indices[list], list, "");
    text += "      element += index@I * a.weight[@I];\n      slot += index@I * a.step[@I];\n";
    replace_all(text, "@I", number_of(list));
  }
  switch (step) {
    case Claiming::check: text += "    a.owners[element] = -1;\n"; break;
    case Claiming::claim: text += "    atomicMax(&a.owners[element], (long long)first);\n"; break;
    case Claiming::settle:
      text += "    a.slots[first] = a.owners[element] == (long long)first ? slot : (long long)0x8000000000000000ull;\n";
  }
  text += "  }\n}\n";
  replace_all(text, "@D", declared);
  replace_all(text, "@L", number_of(claims.indices.size()));
  return text;
}

unsigned blocks_for(std::ptrdiff_t count, std::ptrdiff_t of_a_block) {
  return static_cast<unsigned>(std::min((count - 1) / of_a_block + 1, most_blocks));
}

}  // namespace

bool MovedAxis::is_picked() const {
  return std::ranges::any_of(indices, [](std::ptrdiff_t step) { return step != 0; });
}

void move_elements(Move move, GpuPlace place, std::int32_t* outside) {
  if (count_of(move.axes) == 0) return;
  merge(move.axes);
  widen(move);
  const char* const name = move.scatters ? "scatter" : "take";
  const device::Kernel& kernel = device::find_kernel(
      place, move_text(move), name + (" by indices, " + std::to_string(move.axes.size())) + " axes");
  device::launching::Arguments arguments;
  arguments.put(move.to);
  arguments.put(move.from);
  arguments.put(static_cast<const void*>(outside));
  put_axes_and_indices(arguments, move.axes, move.indices);
  for (const MovedAxis& axis : move.axes) arguments.put(axis.to);
  for (const MovedAxis& axis : move.axes) arguments.put(axis.from);
  device::Stream& stream = device::Stream::current(place);
  if (move.from_uses != nullptr) move.from_uses->order_read(stream);
  if (move.to_uses != nullptr) move.to_uses->order_write(stream);
  kernel.launch(stream, blocks_for(count_of(move.axes), items_of_a_block), threads_of_a_block, 0, arguments.padded(),
                name, std::source_location::current());
  if (move.from_uses != nullptr) move.from_uses->note_read(stream.mark());
  if (move.to_uses != nullptr) move.to_uses->note_write(stream.mark());
}

void claim_elements(const Claims& claims, Claiming step, GpuPlace place, std::int32_t* outside) {
  std::vector<std::ptrdiff_t> weights(claims.indices.size(), 1);  // elements of the axes behind
  for (std::size_t list = weights.size() - 1; list-- > 0;)
    weights[list] = weights[list + 1] * claims.indices[list + 1].extent;
  Claims merged = claims;
  for (MovingIndices& list : merged.indices) list.step /= claims.unit;
  merge(merged.axes);
  const device::Kernel& kernel = device::find_kernel(
      place, claim_text(merged, step), "scatter by indices, " + std::to_string(merged.axes.size()) + " axes");
  device::launching::Arguments arguments;
  arguments.put(static_cast<const void*>(claims.owners));
  arguments.put(static_cast<const void*>(claims.slots));
  arguments.put(static_cast<const void*>(outside));
  put_axes_and_indices(arguments, merged.axes, merged.indices);
  arguments.put_all(weights);
  kernel.launch(device::Stream::current(place), blocks_for(count_of(merged.axes), threads_of_a_block),
                threads_of_a_block, 0, arguments.padded(), "scatter", std::source_location::current());
}

}  // namespace tessera::plan
