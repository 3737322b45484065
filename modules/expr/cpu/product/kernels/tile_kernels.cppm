module;
#include <cstddef>
module tessera.expr:tile_kernels;
import tessera.standard;
import tessera.core;
import :product_kernels;

// Products of 16-bit floats and of bytes by the tiles of AMX: an instruction adds the products of 16 rows by 64 bytes and 64 bytes by 16 columns to
// 16 x 16 sums.
namespace tessera::plan {

/// Some product can be computed by tiles: the CPU has them with AVX512-VBMI, the operating system lets this process use them, and neither
/// device::limit_isa() nor TESSERA_AMX=off forbids it. The first call asks Linux, for all threads of the process.
bool has_tiles() noexcept;

/// Tiles multiply factors of these types for sums of type `sums` here: bfloat16 for float32, or int8 and uint8 in any mix for int32. `inner` products are
/// added up for each; few of them would leave most of a tile empty.
bool multiplies_tiles(DType a, DType b, DType sums, std::ptrdiff_t inner) noexcept;

/// For such types. Sums of float32 add up the even products of 32, the odd ones, and both to what there was; elements and sums below 1.2e-38 count as
/// 0. The kernels may be called while a TileState says how many rows they have.
const ProductKernels& tile_kernels(DType a, DType b);

/// Bytes of a row of a, or of a column of b, that an instruction takes.
inline constexpr std::ptrdiff_t tile_bytes_along = 64;

/// The shapes of this thread's tiles. Without such an object the thread has none, so that nothing is saved when the operating system switches it.
class TileState {
 public:
  TileState() = default;
  TileState(const TileState&) = delete;
  TileState& operator=(const TileState&) = delete;
  ~TileState() {
    if (rows_ != 0) release();
  }

  /// Tiles for strips of so many rows, which may be 0 for none.
  void take(std::ptrdiff_t rows) {
    if (rows == rows_) return;
    configure(rows);
    rows_ = rows;
  }

 private:
  static void configure(std::ptrdiff_t rows);
  static void release();

  std::ptrdiff_t rows_ = 0;
};

}  // namespace tessera::plan
