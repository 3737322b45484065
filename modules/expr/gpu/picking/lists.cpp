module;
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;

// Going through axes, as numbers and as text.
namespace tessera::plan::picking {

namespace {

constexpr std::ptrdiff_t most_blocks = std::ptrdiff_t{1} << 22;

/// A step along `outer` is as many along `inner` as that has positions, for both sides and all indices.
bool continues(const MovedAxis& outer, const MovedAxis& inner) {
  const auto goes_on = [&](std::ptrdiff_t step, std::ptrdiff_t along) { return step == along * inner.extent; };
  return goes_on(outer.to, inner.to) && goes_on(outer.from, inner.from) &&
         std::ranges::equal(outer.indices, inner.indices, goes_on);
}

const char* index_type(DType type) {
  return type == DType::int32 ? "int" : type == DType::uint64 ? "unsigned long long" : "long long";
}

}  // namespace

bool MovedAxis::is_picked() const {
  return std::ranges::any_of(indices, [](std::ptrdiff_t step) { return step != 0; });
}

std::ptrdiff_t count_of(const std::vector<MovedAxis>& axes) {
  std::ptrdiff_t count = 1;
  for (const MovedAxis& axis : axes) count *= axis.extent;
  return count;
}

bool is_wide(const std::vector<MovedAxis>& axes) { return count_of(axes) > std::numeric_limits<std::int32_t>::max(); }

void merge_axes(std::vector<MovedAxis>& axes) {
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

void replace_all(std::string& text, std::string_view name, const std::string& by) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + by.size()))
    text.replace(at, name.size(), by);
}

std::string index_support(bool wide) {
  std::string text = wide ? "typedef unsigned long long tessera_index;\n" : "typedef unsigned int tessera_index;\n";
  return text + device::launching::quotient_support(wide);
}

std::string members_of_lists(const std::vector<MovedAxis>& axes, const std::vector<MovingIndices>& indices) {
  std::string text;
  for (std::size_t list = 0; list < indices.size(); ++list)
    text += "  const " + std::string(index_type(indices[list].type)) + "* indices" + std::to_string(list) + ";\n";
  text += "  tessera_index count, extent[@R], factor[@R], shift[@R];\n";
  text += "  long long index_step[@L][@R], axis_extent[@L], step[@L];\n";
  replace_all(text, "@R", std::to_string(axes.size()));
  replace_all(text, "@L", std::to_string(indices.size()));
  return text;
}

void put_lists(device::launching::Arguments& arguments, const std::vector<MovedAxis>& axes,
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

std::string walk_axes(const std::vector<MovedAxis>& axes, std::string_view k,
                      const std::function<std::string(std::size_t)>& lines_of_axis) {
  std::string text;
  for (std::size_t axis = axes.size(); axis-- > 0;) {
    std::string lines = lines_of_axis(axis);
    for (std::size_t list = 0; list < axes[axis].indices.size(); ++list) {
      if (axes[axis].indices[list] != 0)
        lines += " at" + std::to_string(list) + "@K += digit * a.index_step[" + std::to_string(list) + "][@A];";
    }
    if (axis > 0) {
      text +=
          "      {\n        const tessera_index next = tessera_quotient(left, a.factor[@A], a.shift[@A]);\n"
          "        const long long digit = (long long)(left - next * a.extent[@A]);\n       " +
          lines + "\n        left = next;\n      }\n";
    } else {
      text += "      {\n        const long long digit = (long long)left;\n       " + lines + "\n      }\n";
    }
    replace_all(text, "@A", std::to_string(axis));
  }
  replace_all(text, "@K", std::string(k));
  return text;
}

std::string count_position(const MovingIndices& indices, std::size_t list, std::string_view k) {
  if (indices.extent == 0) return "";
  std::string text = indices.type == DType::uint64
                         ? "      if ((unsigned long long)index@I@K >= (unsigned long long)a.axis_extent[@I]) {\n"
                         : "      if ((unsigned long long)index@I@K + (unsigned long long)a.axis_extent[@I] >= "
                           "2 * (unsigned long long)a.axis_extent[@I]) {\n";
  text += "        *a.outside = 1;\n        index@I@K = 0;\n      }\n";
  if (indices.type != DType::uint64) text += "      if (index@I@K < 0) index@I@K += a.axis_extent[@I];\n";
  replace_all(text, "@I", std::to_string(list));
  replace_all(text, "@K", std::string(k));
  return text;
}

unsigned blocks_for(std::ptrdiff_t count, std::ptrdiff_t of_a_block) {
  return static_cast<unsigned>(std::min((count - 1) / of_a_block + 1, most_blocks));
}

}  // namespace tessera::plan::picking
