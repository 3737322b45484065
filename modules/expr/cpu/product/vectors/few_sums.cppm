module;
#include <cstddef>
export module tessera.expr:few_sums;
import tessera.core;
import :plan;
import :lowering;
import :product_way;

// Products of a few vectors and a matrix, as sums of its rows or columns for each of them.
namespace tessera::plan {

/// target = a b on the calling thread, of float32 or float64, in the ways few_columns_by_columns and few_rows_by_rows. Elements are summed in the order
/// of multiply_blocked().
void multiply_few_sums(const TiledProduct& product, ProductWay way, void* c, std::ptrdiff_t c_row);

}  // namespace tessera::plan
