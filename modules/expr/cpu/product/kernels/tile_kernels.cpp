module;
#include <cpuid.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>
#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif
module tessera.expr;
import :tile_kernels;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Micro-kernels of two tiles of rows by two of columns: four tiles of sums, two of a and two of b are all that there are.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t tile_rows = 16, tile_columns = 16;

/// What `ldtilecfg` reads. Tiles 0 to 3 have the sums, 4 and 5 rows of a, 6 and 7 columns of b.
struct alignas(64) Configuration {
  std::uint8_t palette = 1, first_row = 0;
  std::array<std::uint8_t, 14> reserved{};
  std::array<std::uint16_t, 16> row_bytes{};
  std::array<std::uint8_t, 16> rows{};
};
static_assert(sizeof(Configuration) == 64);

constexpr Configuration configuration(std::size_t rows) {
  const std::size_t upper = rows < tile_rows ? rows : tile_rows, lower = rows - upper;
  Configuration all;
  const auto set = [&](std::size_t tile, std::size_t count) {
    all.rows[tile] = static_cast<std::uint8_t>(count);
    all.row_bytes[tile] = count == 0 ? 0 : tile_bytes_along;
  };
  for (const std::size_t tile : {0u, 1u, 4u}) set(tile, upper);
  for (const std::size_t tile : {2u, 3u, 5u}) set(tile, lower);
  for (const std::size_t tile : {6u, 7u}) set(tile, tile_rows);
  return all;
}

constexpr auto configurations = []<std::size_t... Row>(std::index_sequence<Row...>) {
  return std::array{configuration(Row + 1)...};
}(std::make_index_sequence<2 * tile_rows>());

enum class Factors : std::uint8_t { bfloat16, signed_signed, signed_unsigned, unsigned_signed, unsigned_unsigned };

/// Reads rows of a whose elements lie side by side. Tiles of b lie beside each other in rows of `b_row` words.
template <Factors Types, bool Two, int Vectors>
struct Tiles {
  // The compiler wants numbers of tiles as literals.
  [[gnu::target("amx-tile,amx-bf16,amx-int8")]] static void multiply(const StripProduct& strip) {
    const std::ptrdiff_t a_row = strip.a_row * (Types == Factors::bfloat16 ? 2 : 1);
    const auto* a = static_cast<const std::byte*>(strip.a);
    const auto* b = static_cast<const std::byte*>(strip.b);
    const std::ptrdiff_t lower_a = tile_rows * a_row;
    const auto b_row = static_cast<std::size_t>(strip.b_row * 4), row = static_cast<std::size_t>(a_row);
    auto* const c = static_cast<std::byte*>(strip.c);
    const std::ptrdiff_t c_bytes = strip.c_row * 4;
    const auto c_row = static_cast<std::size_t>(c_bytes);
    std::byte* const right = c + strip.second * 4;
    const std::ptrdiff_t below = tile_rows * c_bytes;
    if (strip.adds) {
      __builtin_ia32_tileloadd64(0, c, c_row);
      if constexpr (Vectors == 2) __builtin_ia32_tileloadd64(1, right, c_row);
      if constexpr (Two) __builtin_ia32_tileloadd64(2, c + below, c_row);
      if constexpr (Two && Vectors == 2) __builtin_ia32_tileloadd64(3, right + below, c_row);
    } else {
      __builtin_ia32_tilezero(0);
      if constexpr (Vectors == 2) __builtin_ia32_tilezero(1);
      if constexpr (Two) __builtin_ia32_tilezero(2);
      if constexpr (Two && Vectors == 2) __builtin_ia32_tilezero(3);
    }
    for (std::ptrdiff_t k = strip.depth; k > 0; --k) {
      __builtin_ia32_tileloadd64(6, b, b_row);
      __builtin_ia32_tileloadd64(4, a, row);
      if constexpr (Vectors == 2) __builtin_ia32_tileloadd64(7, b + tile_columns * 4, b_row);
      if constexpr (Two) __builtin_ia32_tileloadd64(5, a + lower_a, row);
      if constexpr (Types == Factors::bfloat16) {
        __builtin_ia32_tdpbf16ps(0, 4, 6);
        if constexpr (Vectors == 2) __builtin_ia32_tdpbf16ps(1, 4, 7);
        if constexpr (Two) __builtin_ia32_tdpbf16ps(2, 5, 6);
        if constexpr (Two && Vectors == 2) __builtin_ia32_tdpbf16ps(3, 5, 7);
      } else if constexpr (Types == Factors::signed_signed) {
        __builtin_ia32_tdpbssd(0, 4, 6);
        if constexpr (Vectors == 2) __builtin_ia32_tdpbssd(1, 4, 7);
        if constexpr (Two) __builtin_ia32_tdpbssd(2, 5, 6);
        if constexpr (Two && Vectors == 2) __builtin_ia32_tdpbssd(3, 5, 7);
      } else if constexpr (Types == Factors::signed_unsigned) {
        __builtin_ia32_tdpbsud(0, 4, 6);
        if constexpr (Vectors == 2) __builtin_ia32_tdpbsud(1, 4, 7);
        if constexpr (Two) __builtin_ia32_tdpbsud(2, 5, 6);
        if constexpr (Two && Vectors == 2) __builtin_ia32_tdpbsud(3, 5, 7);
      } else if constexpr (Types == Factors::unsigned_signed) {
        __builtin_ia32_tdpbusd(0, 4, 6);
        if constexpr (Vectors == 2) __builtin_ia32_tdpbusd(1, 4, 7);
        if constexpr (Two) __builtin_ia32_tdpbusd(2, 5, 6);
        if constexpr (Two && Vectors == 2) __builtin_ia32_tdpbusd(3, 5, 7);
      } else {
        __builtin_ia32_tdpbuud(0, 4, 6);
        if constexpr (Vectors == 2) __builtin_ia32_tdpbuud(1, 4, 7);
        if constexpr (Two) __builtin_ia32_tdpbuud(2, 5, 6);
        if constexpr (Two && Vectors == 2) __builtin_ia32_tdpbuud(3, 5, 7);
      }
      a += tile_bytes_along;
      b += tile_rows * strip.b_row * 4;
    }
    __builtin_ia32_tilestored64(0, c, c_row);
    if constexpr (Vectors == 2) __builtin_ia32_tilestored64(1, right, c_row);
    if constexpr (Two) __builtin_ia32_tilestored64(2, c + below, c_row);
    if constexpr (Two && Vectors == 2) __builtin_ia32_tilestored64(3, right + below, c_row);
  }
};

/// By the number of rows less one, which the state of the tiles has.
template <Factors Types, int Vectors, int... Row>
struct TileTable {
  static constexpr MicroKernel all[] = {Tiles<Types, (Row >= tile_rows), Vectors>::multiply...};
};

/// Of a panel of b: deep enough that the result does not pass by often, and so deep that a panel of some hundred columns fits the L2 cache.
constexpr std::ptrdiff_t bytes_along = 4096;

template <Factors Types>
const ProductKernels& kernels_of() {
  static const ProductKernels all = []<int... Row>(std::integer_sequence<int, Row...>) {
    constexpr std::ptrdiff_t item = Types == Factors::bfloat16 ? 2 : 1;
    ProductKernels kernels{
        .item = 4, .packed_item = item, .step = tile_bytes_along / item, .depth = bytes_along / item};
    kernels.widths[0] = {2 * tile_columns, TileTable<Types, 2, Row...>::all, TileTable<Types, 2, Row...>::all};
    kernels.widths[1] = {tile_columns, TileTable<Types, 1, Row...>::all, TileTable<Types, 1, Row...>::all};
    kernels.width_count = 2;
    choose_widths(kernels);
    return kernels;
  }(std::make_integer_sequence<int, 2 * tile_rows>());
  return all;
}

/// The operating system keeps the 8 KiB of a thread's tiles only for processes that have asked for them.
bool is_permitted() {
#ifdef __linux__
  constexpr long ask_for_permission = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return syscall(SYS_arch_prctl, ask_for_permission, tile_data) == 0;
#else
  return false;
#endif
}

bool are_here() {
  const char* const wish = std::getenv("TESSERA_AMX");
  if (wish != nullptr && std::string_view(wish) == "off") return false;
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  constexpr std::uint32_t reads_states = 1u << 27;  // OSXSAVE
  if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & reads_states) == 0) return false;
  constexpr std::uint32_t bfloat16_tiles = 1u << 22, tiles = 1u << 24, byte_tiles = 1u << 25, byte_shuffles = 1u << 1;
  constexpr std::uint32_t wanted = bfloat16_tiles | tiles | byte_tiles;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & wanted) != wanted || (c & byte_shuffles) == 0) return false;
  std::uint32_t states = 0, upper = 0;
  asm volatile("xgetbv" : "=a"(states), "=d"(upper) : "c"(0));
  constexpr std::uint32_t tile_states = 3u << 17;  // what the operating system saves: shapes and contents
  return (states & tile_states) == tile_states && is_permitted();
}

}  // namespace

bool has_tiles() noexcept {
  if (device::isa() != device::Isa::avx512) return false;
  static const bool has = are_here();
  return has;
}

bool multiplies_tiles(DType a, DType b, DType sums, std::ptrdiff_t inner) noexcept {
  const bool floats = a == DType::bfloat16 && b == DType::bfloat16 && sums == DType::float32;
  const std::ptrdiff_t along = inner * item_size(a);
  return along > tile_bytes_along / 2 && (floats || multiplies_bytes(a, b, sums)) && has_tiles();
}

const ProductKernels& tile_kernels(DType a, DType b) {
  if (a == DType::bfloat16) return kernels_of<Factors::bfloat16>();
  if (a == DType::int8)
    return b == DType::int8 ? kernels_of<Factors::signed_signed>() : kernels_of<Factors::signed_unsigned>();
  return b == DType::int8 ? kernels_of<Factors::unsigned_signed>() : kernels_of<Factors::unsigned_unsigned>();
}

[[gnu::target("amx-tile")]] void TileState::configure(std::ptrdiff_t rows) {
  if (rows == 0) return __builtin_ia32_tilerelease();
  __builtin_ia32_tile_loadconfig(&configurations[static_cast<std::size_t>(rows - 1)]);
}

[[gnu::target("amx-tile")]] void TileState::release() { __builtin_ia32_tilerelease(); }

}  // namespace tessera::plan
