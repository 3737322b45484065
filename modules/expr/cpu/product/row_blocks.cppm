module;
#include <cstddef>
export module tessera.expr:row_blocks;
import tessera.standard;
import :plan;
import :normalising;
import :lowering;
import :product;

// Reductions and normalisations of the rows of a product: a thread multiplies some rows into its cache and takes them from there. Only where
// rows do not fit, or where another order is faster or is what determines the bits, is the product in memory as a whole before.
namespace tessera::plan {

/// Blocks of whole rows.
struct RowBlocks {
  std::ptrdiff_t rows = 0;   // of each; the last has fewer, or one more, so that none has one row of several
  std::ptrdiff_t count = 0;  // 0: the whole product is computed first
};

/// How the product that is a leaf of the reduction is cut.
RowBlocks row_blocks(const Reduction& reduction, const TiledProduct& product);

/// How the product that is a leaf of the normalisation's operand is cut; the other arguments are those of run_normalised().
RowBlocks row_blocks(const Loop& loop, const Normalisation& normalisation, bool copies, const TiledProduct& product);

/// The product's part of run_reduction() and run_normalisation().
ProductPlan plan_of_rows(const TiledProduct& product, const RowBlocks& blocks);

/// As run(reduction), whose operand has the product, if there is one. The bits are those of the product computed first. Throws OutOfMemory
/// before anything is written, and std::bad_alloc as run(reduction) does.
void run_reduction(const Reduction& reduction, const std::optional<TiledProduct>& product);

/// As run_normalised(), the same way.
void run_normalisation(const Loop& loop, const Normalisation& normalisation, bool copies,
                       const std::optional<TiledProduct>& product);

}  // namespace tessera::plan
