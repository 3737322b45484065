module;
#include <cstddef>
export module tessera.expr:few_vectors;
import tessera.core;
import :plan;
import :lowering;
import :product_way;

// Products of a matrix and a few vectors, as inner products of its rows with each of them.
namespace tessera::plan {

/// target = a b on the calling thread, of float32 or float64, in the ways few_columns and few_rows. The order in which an element is summed depends on
/// the inner extent only.
void multiply_few(const TiledProduct& product, ProductWay way, void* c, std::ptrdiff_t c_row);

}  // namespace tessera::plan
