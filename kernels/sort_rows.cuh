// Sorting the rows of one element type by CUB's radix sort; each .cu file that includes it instantiates it for types of one size.
#pragma once
#include <cub/device/device_radix_sort.cuh>

#include "order.cuh"
#include "sort.h"
#include "sort_ordered.cuh"

namespace tessera::kernels {

template <class Key>
void sort_keys(const TesseraSort& sort, const TesseraStream& stream) {
  const auto* from = static_cast<const Key*>(sort.from);
  auto* to = static_cast<Key*>(sort.to);
  for (std::int64_t at = 0; at < sort.rows * sort.length; at += sort.length) {
    with_temporaries(stream, [&](void* memory, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(memory, bytes, from + at, to + at, sort.length, 0, 8 * sizeof(Key),
                                            stream.stream);
    });
  }
}

template <class Key>
void sort_positions(const TesseraSort& sort, const TesseraStream& stream) {
  const auto* from = static_cast<const Key*>(sort.from);
  auto* to = static_cast<std::int64_t*>(sort.to);
  const Temporary sorted(stream, sort.length * sizeof(Key));
  const Temporary positions(stream, sort.length * sizeof(std::int64_t));
  write_positions(positions.as<std::int64_t>(), sort.length, sort.length, stream);
  for (std::int64_t at = 0; at < sort.rows * sort.length; at += sort.length) {
    with_temporaries(stream, [&](void* memory, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairs(memory, bytes, from + at, sorted.as<Key>(),
                                             positions.as<const std::int64_t>(), to + at, sort.length, 0,
                                             8 * sizeof(Key), stream.stream);
    });
  }
}

template <class T>
void sort_rows(const TesseraSort& sort, const TesseraStream& stream) {
  const bool is_descending = sort.descending != 0;
  if (sorts_at_once(sort.rows, sort.length)) return sort_ordered(sort, order_of<T>(is_descending, false), stream);
  if (is_descending) return sort_keys<KeyOf<T, true, false>>(sort, stream);
  sort_keys<KeyOf<T, false, false>>(sort, stream);
}

template <class T>
void argsort_rows(const TesseraSort& sort, const TesseraStream& stream) {
  const bool is_descending = sort.descending != 0;
  if (sorts_at_once(sort.rows, sort.length)) return argsort_ordered(sort, order_of<T>(is_descending, true), stream);
  if (is_descending) return sort_positions<KeyOf<T, true, true>>(sort, stream);
  sort_positions<KeyOf<T, false, true>>(sort, stream);
}

}  // namespace tessera::kernels
