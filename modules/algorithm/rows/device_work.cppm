module;
#include <cstddef>
export module tessera.algorithm:device_work;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.array;
import tessera.expr;
import :device_kernels;
import :rows;

// Algorithms on the arrays of a GPU by the library of CUDA kernels, in the order of the calling thread's stream. The host does not wait.
namespace tessera::device_work {

/// What reads and writes the memory of the arrays of a call; null where nothing is known to.
struct Accesses {
  device::StreamUses* read;
  device::StreamUses* written;
  device::StreamUses* also_read = nullptr;
  device::StreamUses* also_written = nullptr;
};

using Work = void (*)(const void* context, const device_kernels::Target& target);

/// Calls `work`, ordered after what else uses the memory, and notes that it does. Throws what it throws.
void enqueue(GpuPlace place, const Accesses& accesses, Work work, const void* context);

template <class Body>
void enqueue(Place place, const Accesses& accesses, const Body& body) {
  enqueue(
      GpuPlace{place.ordinal()}, accesses,
      [](const void* context, const device_kernels::Target& target) { (*static_cast<const Body*>(context))(target); },
      static_cast<const void*>(std::addressof(body)));
}

/// As Elements::wait, for ops alone: work on a GPU waits for its streams by itself.
template <class A>
void wait_for_ops(const A& array, schedule::Purpose purpose) {
  if constexpr (ArrayHandle<A>)
    array.buffer()->wait_for_ops(purpose,
                                 {array.data(), array.shape().extents(), array.strides(), sizeof(value_of<A>)});
}

template <class A>
device::StreamUses* uses_of(const A& array) {
  if constexpr (ArrayHandle<A>) return array.buffer()->uses();
  return nullptr;
}

template <class A>
storage::PlacedMemory memory_of(const A& array) {
  return {rows::memory_of(array), array.place(), uses_of(array)};
}

/// Elements of an array on a GPU as contiguous rows: its own, or a copy of them.
template <int Axis, class A>
auto contiguous_rows(const A& elements) {
  constexpr int last = A::rank - 1;
  using Rows = Array<value_of<A>, A::rank, typename A::place_type>;
  if constexpr (ArrayHandle<A> && Axis == last) {
    if (storage::is_contiguous(elements.shape(), elements.strides())) return elements;
  }
  const auto moved = moveaxis(elements, Axis, last);
  Rows copied(moved.shape(), moved.place());
  storage::copy_strided(moved.shape().extents(), memory_of(copied), memory_of(moved));
  return copied;
}

/// on_rows() when the ops before it have run.
template <int Axis, class A, class B, class Run>
void on_rows_in_turn(const A& to, const B& from, const Run& run) {
  constexpr int last = A::rank - 1;
  const auto source = contiguous_rows<Axis>(from);
  if (source.size() == 0) return;
  const auto enqueue_to = [&](const auto& result) {
    const std::ptrdiff_t length = source.shape()[last];
    enqueue(to.place(), {uses_of(source), uses_of(result)}, [&](const device_kernels::Target& target) {
      run(source.data(), result.data(), source.size() / length, length, target);
    });
  };
  if constexpr (ArrayHandle<A> && Axis == last) {
    if (storage::is_contiguous(to.shape(), to.strides()) && !rows::may_overlap(to, source)) return enqueue_to(to);
  }
  const Array<value_of<A>, A::rank, typename A::place_type> results(source.shape(), to.place());
  enqueue_to(results);
  const auto moved = moveaxis(to, Axis, last);
  storage::copy_strided(moved.shape().extents(), memory_of(moved), memory_of(results));
}

/// Calls run(from, to, rows, length, target), which may be copied, with device memory of contiguous rows along `Axis`; the results end up
/// in `to`. Inside an Async scope it is an op of that name.
template <int Axis, class A, class B, class Run>
void on_rows(const A& to, const B& from, const char* name, const Run& run) {
  if (submit_algorithm(to, from, name, [to, from, run] { on_rows_in_turn<Axis>(to, from, run); })) return;
  wait_for_ops(from, schedule::Purpose::read);
  wait_for_ops(to, schedule::Purpose::change);
  on_rows_in_turn<Axis>(to, from, run);
}

}  // namespace tessera::device_work
