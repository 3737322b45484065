// Tests of the Allocator concept, both ways.
#include <cstddef>
import tessera;

using namespace tessera;
using memory::Allocator;

namespace {

struct Complete {
  Place place() const { return {}; }
  void* allocate(std::ptrdiff_t, std::ptrdiff_t) { return nullptr; }
  void deallocate(void*, std::ptrdiff_t) noexcept {}
};

struct WithoutPlace {
  void* allocate(std::ptrdiff_t, std::ptrdiff_t) { return nullptr; }
  void deallocate(void*, std::ptrdiff_t) noexcept {}
};

struct StaticPlaceOnly : Complete {
  CpuPlace place() const { return {}; }
};

struct ThrowingDeallocate : Complete {
  void deallocate(void*, std::ptrdiff_t) {}
};

struct TypedPointer : Complete {
  float* allocate(std::ptrdiff_t, std::ptrdiff_t) { return nullptr; }
};

struct PlaceNeedsMutable : Complete {
  Place place() { return {}; }
};

struct WithoutAlignment : Complete {
  void* allocate(std::ptrdiff_t) { return nullptr; }
};

struct Unsized : Complete {
  void deallocate(void*) noexcept {}
};

}  // namespace

static_assert(Allocator<Complete> && Allocator<memory::CpuSystemAllocator> && Allocator<memory::DriverSystemAllocator>);
static_assert(Allocator<memory::Pool>);  // a pool can stand in front of another
static_assert(!Allocator<WithoutPlace> && !Allocator<StaticPlaceOnly> && !Allocator<ThrowingDeallocate> &&
              !Allocator<TypedPointer>);
static_assert(!Allocator<PlaceNeedsMutable> && !Allocator<Unsized> && !Allocator<int> &&
              !Allocator<memory::Allocation>);
static_assert(!Allocator<WithoutAlignment>);
static_assert(Allocator<memory::BuddyAllocator<Complete>> && Allocator<memory::SegregatedFitAllocator<Complete>>);
static_assert(memory::block_alignment == 64);
