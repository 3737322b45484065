// Picking elements by CUB; elements of a size share a kernel.
#include "select.h"

#include <cub/device/device_select.cuh>

#include "support.cuh"

namespace tessera::kernels {

namespace {

template <class Item>
void select_items(const TesseraSelect& select, const TesseraStream& stream) {
  with_temporaries(stream, [&](void* memory, std::size_t& bytes) {
    return cub::DeviceSelect::Flagged(memory, bytes, static_cast<const Item*>(select.from), select.mask,
                                      static_cast<Item*>(select.to), select.count, select.length, stream.stream);
  });
}

void select_by_size(const TesseraSelect& select, const TesseraStream& stream) {
  std::size_t bytes = 0;
  with_type(select.dtype, [&](auto type) { bytes = sizeof(typename decltype(type)::type); });
  switch (bytes) {
    case 1: return select_items<std::uint8_t>(select, stream);
    case 2: return select_items<std::uint16_t>(select, stream);
    case 4: return select_items<std::uint32_t>(select, stream);
    case 8: return select_items<std::uint64_t>(select, stream);
    default: return select_items<Complex128>(select, stream);
  }
}

}  // namespace

}  // namespace tessera::kernels

int tessera_select(const TesseraSelect* select, const TesseraStream* stream, TesseraFailure* failure) {
  return tessera::kernels::guarded(failure, [&] { tessera::kernels::select_by_size(*select, *stream); });
}
