// Tests of places, static and dynamic.
#include <doctest/doctest.h>

#include <concepts>
#include <sstream>
#include <string>
#include <type_traits>
import tessera;

using namespace tessera;

static_assert(StaticPlace<CpuPlace> && StaticPlace<PinnedPlace> && StaticPlace<GpuPlace> && !StaticPlace<Place> &&
              !StaticPlace<int>);
static_assert(AnyPlace<Place> && AnyPlace<GpuPlace> && !AnyPlace<PlaceKind> && !AnyPlace<const CpuPlace>);
static_assert(HostPlace<CpuPlace> && HostPlace<PinnedPlace> && !HostPlace<GpuPlace> && !HostPlace<Place>);
static_assert(std::convertible_to<CpuPlace, Place> && !std::convertible_to<Place, CpuPlace> &&
              !std::convertible_to<int, Place>);
static_assert(std::is_empty_v<CpuPlace> && std::is_empty_v<PinnedPlace> && std::is_trivially_copyable_v<Place>);
static_assert(Place() == Place(CpuPlace{}) && Place(GpuPlace{1}) != Place(GpuPlace{2}) &&
              Place(GpuPlace{}) != Place(PinnedPlace{}));
static_assert(Place(GpuPlace{3}).ordinal() == 3 && Place(PinnedPlace{}).ordinal() == 0);
static_assert(Place(CpuPlace{}).on_host() && Place(PinnedPlace{}).on_host() && !Place(GpuPlace{}).on_host());

// --8<-- [start:place]
TEST_CASE("a place is a type of its own, or a Place that holds any of them") {
  const Place place = GpuPlace{1};
  CHECK(to_string(place) == "gpu:1");
  CHECK(place != Place(CpuPlace{}));

  const GpuPlace gpu = place_cast<GpuPlace>(place);
  CHECK(gpu.ordinal == 1);
  CHECK_THROWS_AS(place_cast<CpuPlace>(place), PlaceError);

  const bool host = visit([](auto fixed) { return HostPlace<decltype(fixed)>; }, place);
  CHECK(!host);
}
// --8<-- [end:place]

// --8<-- [start:kind]
TEST_CASE("the kind of a place is asked for while the program runs") {
  const auto copy_to_a_gpu = [](Place from) {
    switch (from.kind()) {
      case PlaceKind::cpu: return "the host waits until the driver has taken the bytes";
      case PlaceKind::pinned:
      case PlaceKind::gpu: break;
    }
    return "the host goes on";
  };
  CHECK(std::string(copy_to_a_gpu(PinnedPlace{})) == "the host goes on");
}
// --8<-- [end:kind]

TEST_CASE("every place prints its kind, and a GPU its number") {
  std::ostringstream text;
  text << Place() << ' ' << CpuPlace{} << ' ' << PinnedPlace{} << ' ' << GpuPlace{} << ' ' << GpuPlace{12};
  CHECK(text.str() == "cpu cpu pinned gpu:0 gpu:12");
}

TEST_CASE("place_cast gives back what a place was made of") {
  CHECK(place_cast<CpuPlace>(CpuPlace{}) == CpuPlace{});
  CHECK(place_cast<PinnedPlace>(PinnedPlace{}) == PinnedPlace{});
  CHECK(place_cast<GpuPlace>(GpuPlace{5}) == GpuPlace{5});
  CHECK(place_cast<Place>(GpuPlace{5}) == Place(GpuPlace{5}));
}

TEST_CASE("place_cast to another kind says where the memory is, and what was expected") {
  CHECK_THROWS_WITH_AS(place_cast<CpuPlace>(GpuPlace{1}),
                       "place_cast: the memory is on gpu:1, not on cpu; move it with to(place)", PlaceError);
  CHECK_THROWS_WITH_AS(place_cast<GpuPlace>(CpuPlace{}),
                       "place_cast: the memory is on cpu, not on a gpu; move it with to(place)", PlaceError);
  CHECK_THROWS_WITH_AS(place_cast<PinnedPlace>(CpuPlace{}),
                       "place_cast: the memory is on cpu, not on pinned; move it with to(place)", PlaceError);
}

TEST_CASE("visit calls the function with the static place") {
  const auto describe = [](Place place) {
    return visit(
        [](auto fixed) -> std::string {
          static_assert(StaticPlace<decltype(fixed)>);
          return to_string(fixed);
        },
        place);
  };
  for (const Place place : {Place(CpuPlace{}), Place(PinnedPlace{}), Place(GpuPlace{0}), Place(GpuPlace{7})}) {
    CHECK(describe(place) == to_string(place));
  }
}
