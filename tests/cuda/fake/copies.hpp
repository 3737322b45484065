// Copies and fills as work of the fake driver's streams.
#pragma once

#include <cstddef>
#include <cstdint>

#include "machine.hpp"

namespace fake {

/// Rows of bytes between any two places; one row is a plain copy.
struct Rows {
  std::uint64_t to = 0, from = 0;
  std::size_t to_pitch = 0, from_pitch = 0;
  std::size_t row_bytes = 0, rows = 1;
};

/// Gives the stream the copy. From pageable memory of the host the bytes are taken now; to pageable memory the host waits.
void copy(Machine& machine, Stream& stream, const Rows& rows);

/// Gives the stream the filling of memory of its GPU.
void fill(Machine& machine, Stream& stream, std::uint64_t to, std::uint64_t pattern, std::size_t item,
          std::size_t count);

}  // namespace fake
