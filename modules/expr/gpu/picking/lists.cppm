module;
#include <cstddef>
#include <cstdint>
export module tessera.expr:picking_lists;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.array;
import :plan;

// Indices in memory of a GPU: where they lie, and the CUDA text that reads them.
namespace tessera::plan::picking {

/// Indices in memory of the GPU, of the types of an IndexList, and what they mean: positions along an axis, those below 0 from its end.
struct MovingIndices {
  const void* data;
  DType type;
  std::ptrdiff_t extent;  // of the axis; 0: its positions have been counted and checked, and may be any number
  std::ptrdiff_t step;    // elements from one position to the next
};

/// One axis along which a kernel goes. Steps are in elements; those of indices are one for each list.
struct MovedAxis {
  std::ptrdiff_t extent, to, from;
  std::vector<std::ptrdiff_t> indices;

  bool is_picked() const;
};

/// Elements of all axes.
std::ptrdiff_t count_of(const std::vector<MovedAxis>& axes);

/// The number of elements needs 64 bits.
bool is_wide(const std::vector<MovedAxis>& axes);

/// Axes that are gone through as one become one, and those of one position none.
void merge_axes(std::vector<MovedAxis>& axes);

void replace_all(std::string& text, std::string_view name, const std::string& by);

/// CUDA text of the type of numbers of elements, and of quotients by extents.
std::string index_support(bool wide);

/// CUDA text of the members of a kernel's arguments that say which elements there are and where indices lie: `count`, `indices0` and so on.
std::string members_of_lists(const std::vector<MovedAxis>& axes, const std::vector<MovingIndices>& indices);
/// The members' values.
void put_lists(device::launching::Arguments& arguments, const std::vector<MovedAxis>& axes,
               const std::vector<MovingIndices>& indices);

/// CUDA text that goes from the number of an element, `left`, which is used up, to where indices lie: it adds to `at0` and so on, of which each has `k`
/// behind its name, and does what `lines_of_axis` says with `digit`, the position along axis @A.
std::string walk_axes(const std::vector<MovedAxis>& axes, std::string_view k,
                      const std::function<std::string(std::size_t)>& lines_of_axis);

/// CUDA text that makes `index0` and so on, with `k` behind the name, a position along its axis: outside of it, 1 is written to `outside`.
std::string count_position(const MovingIndices& indices, std::size_t list, std::string_view k);

/// Threads of each block of such kernels, and how many blocks compute so many elements if each computes `of_a_block`.
inline constexpr unsigned picking_threads = 256;
unsigned blocks_for(std::ptrdiff_t count, std::ptrdiff_t of_a_block);

}  // namespace tessera::plan::picking
