// Tests of the sizes of caches by which loops are cut.
#include <doctest/doctest.h>
#include <unistd.h>

#include <bit>
#include <cstddef>
#include <cstdlib>
import tessera;

using namespace tessera;

TEST_CASE("caches have the sizes that the operating system reports") {
  const device::Caches& caches = device::caches();
  CHECK(caches.level1 >= 4096);
  CHECK(caches.level2 >= 4096);
  CHECK(std::has_single_bit(static_cast<std::size_t>(caches.level1_way)));
  if (std::getenv("TESSERA_CACHES") != nullptr) return;
  const long level1 = sysconf(_SC_LEVEL1_DCACHE_SIZE), level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (level1 >= 4096) CHECK(caches.level1 == level1);
  if (level2 >= 4096) CHECK(caches.level2 == level2);
  const long ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);
  if (level1 >= 4096 && ways > 0 && std::has_single_bit(static_cast<unsigned long>(level1 / ways)))
    CHECK(caches.level1_way == level1 / ways);
}

TEST_CASE("TESSERA_CACHES says other sizes, and nonsense in it is ignored") {
  const char* const text = std::getenv("TESSERA_CACHES");
  if (text == nullptr) return;
  const device::Caches& caches = device::caches();
  if (std::getenv("TESSERA_TEST_EXPECTS_CACHES") == nullptr) {
    CHECK(caches.level1 > 8192);  // what is reported, or the usual sizes
    CHECK(caches.level2 > 65536);
  } else {
    CHECK(caches.level1 == 8192);
    CHECK(caches.level2 == 65536);
  }
}
