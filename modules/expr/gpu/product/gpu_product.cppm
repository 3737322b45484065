export module tessera.expr:gpu_product;
import :product;

// Matrix products on a GPU.
namespace tessera::plan {

/// The plan of products with this result, on a GPU.
ProductPlan plan_on_device(BatchedProduct batch, const ProductTarget& target);

/// Runs a plan for a GPU, as work of this thread's stream.
void run_on_device(const ProductPlan& plan);

/// As run_batch on a GPU, as work of this thread's stream.
void run_batch_on_device(BatchedProduct batch, const ProductTarget& target);

}  // namespace tessera::plan
