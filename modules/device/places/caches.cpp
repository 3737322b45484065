module;
#include <unistd.h>

#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>
module tessera.device;

// Asks the operating system and the environment for the sizes of caches.
namespace tessera::device {

namespace {

/// Sizes that blocks can be made for: less is not believed, and more is not used.
constexpr std::ptrdiff_t least = 4096;
constexpr std::ptrdiff_t most = std::ptrdiff_t{64} * 1024 * 1024;

bool is_plausible(std::ptrdiff_t bytes) { return bytes >= least && bytes <= most; }

/// "32768,1048576".
std::optional<Caches> from_text(std::string_view text) {
  Caches found;
  const char* const end = text.data() + text.size();
  const auto [comma, first_error] = std::from_chars(text.data(), end, found.level1);
  if (first_error != std::errc() || comma == end || *comma != ',') return std::nullopt;
  const auto [last, second_error] = std::from_chars(comma + 1, end, found.level2);
  if (second_error != std::errc() || last != end) return std::nullopt;
  if (!is_plausible(found.level1) || !is_plausible(found.level2)) return std::nullopt;
  return found;
}

Caches reported() {
  Caches found;
#ifdef _SC_LEVEL1_DCACHE_SIZE  // not every C library asks for them
  const auto take = [](std::ptrdiff_t& size, int name) {
    const std::ptrdiff_t bytes = sysconf(name);
    if (is_plausible(bytes)) size = bytes;
  };
  take(found.level1, _SC_LEVEL1_DCACHE_SIZE);
  take(found.level2, _SC_LEVEL2_CACHE_SIZE);
  const long ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);
  if (ways > 0 && found.level1 / ways >= 64)
    found.level1_way = static_cast<std::ptrdiff_t>(std::bit_floor(static_cast<std::size_t>(found.level1 / ways)));
#endif
  return found;
}

}  // namespace

const Caches& caches() noexcept {
  static const Caches known = [] {
    const char* const text = std::getenv("TESSERA_CACHES");
    const std::optional<Caches> wish = text == nullptr ? std::nullopt : from_text(text);
    return wish ? *wish : reported();
  }();
  return known;
}

}  // namespace tessera::device
