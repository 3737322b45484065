module;
#include <cstdint>
export module tessera.device:place;
import tessera.standard;
import tessera.core;

// Places: where an array's memory is. Each is a type of its own, and Place holds any of them.
namespace tessera {

/// Ordinary host memory.
export struct CpuPlace {
  friend constexpr bool operator==(CpuPlace, CpuPlace) = default;
};

/// Page-locked host memory, from which a GPU copies at full speed.
export struct PinnedPlace {
  friend constexpr bool operator==(PinnedPlace, PinnedPlace) = default;
};

/// Memory of one GPU, numbered from 0 as CUDA does.
export struct GpuPlace {
  int ordinal = 0;
  friend constexpr bool operator==(GpuPlace, GpuPlace) = default;
};

/// The kinds of places.
export enum class PlaceKind : std::uint8_t { cpu, pinned, gpu };

/// One of the places, known at run time. The default is the CPU.
export class Place {
 public:
  constexpr Place() = default;
  constexpr Place(CpuPlace) {}
  constexpr Place(PinnedPlace) : kind_(PlaceKind::pinned) {}
  constexpr Place(GpuPlace gpu) : kind_(PlaceKind::gpu), ordinal_(gpu.ordinal) {}

  constexpr PlaceKind kind() const { return kind_; }

  /// Number of the GPU; 0 for host places.
  constexpr int ordinal() const { return ordinal_; }

  /// The host can read and write memory of this place.
  constexpr bool on_host() const { return kind_ != PlaceKind::gpu; }

  friend constexpr bool operator==(Place, Place) = default;

 private:
  PlaceKind kind_ = PlaceKind::cpu;
  int ordinal_ = 0;
};

/// CpuPlace, PinnedPlace or GpuPlace: a place known at compile time.
export template <class P>
concept StaticPlace = std::same_as<P, CpuPlace> || std::same_as<P, PinnedPlace> || std::same_as<P, GpuPlace>;

/// A static place or Place.
export template <class P>
concept AnyPlace = StaticPlace<P> || std::same_as<P, Place>;

/// A place whose memory is known at compile time to be the host's.
export template <class P>
concept HostPlace = std::same_as<P, CpuPlace> || std::same_as<P, PinnedPlace>;

/// "cpu", "pinned", "gpu:0".
export std::string to_string(Place place);
/// Writes a place as to_string() has it.
export std::ostream& operator<<(std::ostream& out, Place place);

/// The place as P. Throws PlaceError if it is of another kind.
export template <AnyPlace P>
P place_cast(Place place);

template <>
Place place_cast<Place>(Place place);
template <>
CpuPlace place_cast<CpuPlace>(Place place);
template <>
PinnedPlace place_cast<PinnedPlace>(Place place);
template <>
GpuPlace place_cast<GpuPlace>(Place place);

/// Calls `function` with the static place.
export template <class Function>
decltype(auto) visit(Function&& function, Place place) {
  switch (place.kind()) {
    case PlaceKind::pinned: return function(PinnedPlace{});
    case PlaceKind::gpu: return function(GpuPlace{place.ordinal()});
    case PlaceKind::cpu: break;
  }
  return function(CpuPlace{});
}

}  // namespace tessera
