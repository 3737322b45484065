module;
#include <cstddef>
export module tessera.expr:vector_product;
import tessera.core;
import :plan;
import :lowering;
import :product_way;
import :small_product;

// Products of a matrix and a vector, for which each element of the matrix is read once.
namespace tessera::plan {

/// target = a b on the calling thread, of float32, float64 or complex elements, in one of the four ways that read rows or columns. Sums of rows or
/// columns are taken in the order of multiply_blocked(); inner products in one that depends on the inner extent only.
void multiply_vector(const TiledProduct& product, ProductWay way, void* c, std::ptrdiff_t c_row);

/// The same of real factors that lie apart from their product, one of them a vector, unless the matrix is one that threads would share: then nothing is
/// done, and the answer is false.
bool multiply_vector_alone(float, const SmallFactors& factors);
bool multiply_vector_alone(double, const SmallFactors& factors);

}  // namespace tessera::plan
