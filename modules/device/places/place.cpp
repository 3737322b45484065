module;
#include <ostream>
#include <string>
module tessera.device;
import tessera.core;

// Text of places, and the checked way from a dynamic place to a static one.
namespace tessera {

std::string to_string(Place place) {
  switch (place.kind()) {
    case PlaceKind::cpu: return "cpu";
    case PlaceKind::pinned: return "pinned";
    case PlaceKind::gpu: return "gpu:" + std::to_string(place.ordinal());
  }
  return "cpu";
}

std::ostream& operator<<(std::ostream& out, Place place) { return out << to_string(place); }

namespace {

void require_kind(Place place, PlaceKind kind, const char* expected) {
  if (place.kind() == kind) return;
  throw PlaceError(to_string(Failure{.operation = "place_cast",
                                     .problem = "the memory is on " + to_string(place) + ", not on " + expected,
                                     .advice = "move it with to(place)"}));
}

}  // namespace

template <>
Place place_cast<Place>(Place place) {
  return place;
}

template <>
CpuPlace place_cast<CpuPlace>(Place place) {
  require_kind(place, PlaceKind::cpu, "cpu");
  return {};
}

template <>
PinnedPlace place_cast<PinnedPlace>(Place place) {
  require_kind(place, PlaceKind::pinned, "pinned");
  return {};
}

template <>
GpuPlace place_cast<GpuPlace>(Place place) {
  require_kind(place, PlaceKind::gpu, "a gpu");
  return GpuPlace{place.ordinal()};
}

}  // namespace tessera
