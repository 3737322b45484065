module;
#include <cstddef>
export module tessera.array:stream_work;
import tessera.standard;
import tessera.core;
import tessera.device;
import tessera.schedule;
import :buffer;
import :concepts;

// Work that another library gives the stream of a GPU, on the memory of arrays.
namespace tessera {

namespace storage {

/// An array that such work reads or writes.
export struct StreamUse {
  const Buffer* buffer;
  bool is_written;
};

/// Orders the stream, calls `work(context)` and notes what it has used. Throws PlaceError for an array that is not at the stream's place, and
/// what `work` throws.
export void use_on_stream(device::Stream& stream, std::span<const StreamUse> uses, void (*work)(void* context),
                          void* context);

}  // namespace storage

/// Calls `work()`, which gives a GPU's stream work on arrays by itself, as with a library that takes stream.native(): the work starts after what
/// else was given to GPUs and writes what it reads, or uses what it writes, and what is done to the arrays later starts after it. Arrays that
/// are read and written stand in std::tie: run_on(stream, std::tie(x), std::tie(y), [&] { ... }). Pending ops are not waited for: in
/// an op, name the arrays' Vars. Throws PlaceError for an array that is not at the stream's place, and what `work` throws.
export template <class... Read, class... Written, std::invocable Work>
void run_on(device::Stream& stream, const std::tuple<Read&...>& read, const std::tuple<Written&...>& written,
            Work&& work) {
  const auto uses = [&]<std::size_t... R, std::size_t... W>(std::index_sequence<R...>, std::index_sequence<W...>) {
    return std::array<storage::StreamUse, sizeof...(R) + sizeof...(W)>{
        storage::StreamUse{std::get<R>(read).buffer().get(), false}...,
        storage::StreamUse{std::get<W>(written).buffer().get(), true}...};
  }(std::index_sequence_for<Read...>{}, std::index_sequence_for<Written...>{});
  storage::use_on_stream(
      stream, uses, [](void* context) { (*static_cast<std::remove_reference_t<Work>*>(context))(); },
      const_cast<void*>(static_cast<const void*>(std::addressof(work))));
}

}  // namespace tessera
