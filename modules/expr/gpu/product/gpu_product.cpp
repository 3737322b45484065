module;
#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <source_location>
#include <span>
#include <string>
#include <utility>
module tessera.expr;
import tessera.core;
import tessera.device;
import tessera.memory;
import tessera.schedule;
import tessera.array;

// Matrix products on a GPU: by cuBLAS, and by a kernel of ours for the element types and strides that it does not take, or without it.
namespace tessera::plan {

namespace {

constexpr std::ptrdiff_t tile = 16;  // rows and columns of a block's part of the result

/// Blocks of 16 x 16 threads: each block computes a tile, each thread an element of it, from tiles of the factors in shared memory. Sums are taken in
/// the order of the inner axis.
constexpr const char* product_text = R"cuda(
struct tessera_arguments {
  const tessera_factor* a;
  const tessera_factor* b;
  tessera_result* c;
  long long rows, columns, inner, row_tiles, column_tiles;
  long long a_row, a_column, b_row, b_column, c_row;
  long long extent[TESSERA_AXES], a_stride[TESSERA_AXES], b_stride[TESSERA_AXES], c_stride[TESSERA_AXES];
};

extern "C" __global__ void tessera_kernel(const __grid_constant__ tessera_arguments a) {
  __shared__ __align__(16) unsigned char left_memory[16 * 17 * sizeof(tessera_value)];
  __shared__ __align__(16) unsigned char right_memory[16 * 17 * sizeof(tessera_value)];
  tessera_value* const left = reinterpret_cast<tessera_value*>(left_memory);
  tessera_value* const right = reinterpret_cast<tessera_value*>(right_memory);
  const int i = threadIdx.x / 16, j = threadIdx.x % 16;
  long long rest = blockIdx.x;
  const long long column = rest % a.column_tiles * 16 + j;
  rest /= a.column_tiles;
  const long long row = rest % a.row_tiles * 16 + i;
  rest /= a.row_tiles;
  long long a_offset = 0, b_offset = 0, c_offset = 0;
  for (int axis = TESSERA_AXES - 1; axis >= 0; --axis) {
    const long long at = rest % a.extent[axis];
    rest /= a.extent[axis];
    a_offset += at * a.a_stride[axis];
    b_offset += at * a.b_stride[axis];
    c_offset += at * a.c_stride[axis];
  }
  tessera_value sum = (tessera_value)0;
  for (long long k = 0; k < a.inner; k += 16) {
    const bool has_left = row < a.rows && k + j < a.inner;
    const bool has_right = k + i < a.inner && column < a.columns;
    left[i * 17 + j] = has_left ? (tessera_value)tessera_load(a.a + a_offset + row * a.a_row + (k + j) * a.a_column)
                                : (tessera_value)0;
    right[i * 17 + j] = has_right ? (tessera_value)tessera_load(a.b + b_offset + (k + i) * a.b_row + column * a.b_column)
                                  : (tessera_value)0;
    __syncthreads();
    const int count = a.inner - k < 16 ? (int)(a.inner - k) : 16;
    for (int n = 0; n < count; ++n) sum = tessera_add(sum, tessera_multiply(left[i * 17 + n], right[n * 17 + j]));
    __syncthreads();
  }
  if (row < a.rows && column < a.columns) tessera_store(a.c + c_offset + row * a.c_row + column, sum);
}
)cuda";

std::string product_kernel(const TiledProduct& product, int axes) {
  const std::string factor(device_name(product.a_type));
  const std::string result(device_name(product.dtype));
  const DType leaves[] = {product.a_type};
  return device_support({.leaves = leaves}, product.dtype) + "typedef " + factor + " tessera_factor;\ntypedef " +
         result + " tessera_result;\ntypedef " + result + " tessera_value;\n#define TESSERA_AXES " +
         std::to_string(axes) + "\n" + product_text;
}

bool fits_int(std::ptrdiff_t number) { return number <= std::numeric_limits<int>::max(); }

/// cuBLAS is there, has the type, and takes the matrices as they lie.
bool is_for_cublas(const TiledProduct& p, const ProductTarget& target) {
  if (kind(p.a_type) != Kind::floating && kind(p.a_type) != Kind::complex) return false;
  if (p.inner == 0 || !fits_int(p.rows) || !fits_int(p.columns) || !fits_int(p.inner) || !fits_int(target.row))
    return false;
  const bool takes_result = target.row >= p.columns || p.rows == 1;
  return takes_result && is_blas_matrix(p.rows, p.inner, p.a_row, p.a_column) &&
         is_blas_matrix(p.inner, p.columns, p.b_row, p.b_column) && cublas::is_there();
}

template <class T, class Result = T>
void call_cublas(const TiledProduct& p, const ProductTarget& target, const cublas::Batch& batch, void* stream) {
  const BlasMatrix a = blas_matrix(p.rows, p.inner, p.a_row, p.a_column);
  const BlasMatrix b = blas_matrix(p.inner, p.columns, p.b_row, p.b_column);
  const std::ptrdiff_t c_row = p.rows == 1 ? std::max(target.row, p.columns) : target.row;
  cublas::gemm(blas::Gemm<T, Result>{p.rows, p.columns, p.inner, static_cast<const T*>(p.a), a.leading, a.is_transposed,
                                     static_cast<const T*>(p.b), b.leading, b.is_transposed,
                                     static_cast<Result*>(target.data), c_row},
               stream, batch);
}

void call_cublas(const TiledProduct& p, const ProductTarget& target, const cublas::Batch& batch, void* stream) {
  switch (p.a_type) {
    case DType::float16: return call_cublas<float16, float>(p, target, batch, stream);
    case DType::bfloat16: return call_cublas<bfloat16, float>(p, target, batch, stream);
    case DType::float64: return call_cublas<double>(p, target, batch, stream);
    case DType::complex64: return call_cublas<std::complex<float>>(p, target, batch, stream);
    case DType::complex128: return call_cublas<std::complex<double>>(p, target, batch, stream);
    default: return call_cublas<float>(p, target, batch, stream);
  }
}

/// cuBLAS takes the matrices along the last leading axis in one call: they follow each other forwards, and results do not lie between each other.
bool is_one_call(const BatchedProduct& batch, const ProductTarget& target, std::size_t last) {
  const std::ptrdiff_t result = (batch.matrices.rows - 1) * target.row + batch.matrices.columns;
  return batch.a_strides[last] >= 0 && batch.b_strides[last] >= 0 && batch.c_strides[last] >= result;
}

/// One call for each position of all leading axes, or of all but the last.
void run_by_cublas(const ProductPlan& plan, device::Stream& stream) {
  device::launching::make_current(stream.place());
  const BatchedProduct& batch = plan.batch;
  const auto last = static_cast<std::size_t>(batch.rank - 1);
  const bool at_once = plan.together > 1;
  const cublas::Batch inner = at_once ? cublas::Batch{.count = plan.together,
                                                      .a_step = batch.a_strides[last],
                                                      .b_step = batch.b_strides[last],
                                                      .c_step = batch.c_strides[last]}
                                      : cublas::Batch{};
  const std::ptrdiff_t factor = item_size(batch.matrices.a_type);
  const std::ptrdiff_t result = item_size(batch.matrices.dtype);
  for (std::ptrdiff_t call = 0; call < plan.tasks; ++call) {
    TiledProduct product = batch.matrices;
    ProductTarget to = plan.target;
    std::ptrdiff_t rest = call;
    for (std::size_t axis = at_once ? last : last + 1; axis-- > 0; rest /= batch.extents[axis]) {
      const std::ptrdiff_t at = rest % batch.extents[axis];
      product.a = static_cast<const std::byte*>(product.a) + at * batch.a_strides[axis] * factor;
      product.b = static_cast<const std::byte*>(product.b) + at * batch.b_strides[axis] * factor;
      to.data = static_cast<std::byte*>(to.data) + at * batch.c_strides[axis] * result;
    }
    call_cublas(product, to, inner, stream.native());
    static_cast<void>(stream.count_work());
  }
}

}  // namespace

ProductPlan plan_on_device(BatchedProduct batch, const ProductTarget& target) {
  std::ptrdiff_t matrices = batch.matrices.rows == 0 || batch.matrices.columns == 0 ? 0 : 1;
  for (int axis = 0; axis < batch.rank; ++axis) matrices *= batch.extents[static_cast<std::size_t>(axis)];
  if (batch.rank == 0) batch.extents[static_cast<std::size_t>(batch.rank++)] = 1;
  ProductPlan plan{.batch = batch, .target = target, .products = matrices};
  if (matrices == 0) return plan;
  if (is_for_cublas(batch.matrices, target)) {
    const auto last = static_cast<std::size_t>(batch.rank - 1);
    plan.way = ProductWay::cublas;
    if (batch.extents[last] > 1 && is_one_call(batch, target, last)) plan.together = batch.extents[last];
    plan.tasks = matrices / plan.together;
  } else {
    plan.way = ProductWay::device_kernel;
    plan.grid = {.down = (batch.matrices.rows - 1) / tile + 1, .across = (batch.matrices.columns - 1) / tile + 1};
    plan.tasks = matrices * plan.grid.count();
  }
  return plan;
}

void run_on_device(const ProductPlan& plan) {
  if (plan.products == 0) return;
  const BatchedProduct& batch = plan.batch;
  const TiledProduct& product = batch.matrices;
  const GpuPlace place{product.place.ordinal()};
  if (plan.way == ProductWay::cublas) return run_by_cublas(plan, device::Stream::current(place));
  const std::string cause =
      "product of " + std::string(name(product.a_type)) + " matrices, " + std::to_string(batch.rank) + " leading axes";
  const device::Kernel& kernel = device::find_kernel(place, product_kernel(product, batch.rank), cause);
  device::launching::Arguments arguments;
  for (const void* pointer : {product.a, product.b, static_cast<const void*>(plan.target.data)}) arguments.put(pointer);
  for (const std::ptrdiff_t number :
       {product.rows, product.columns, product.inner, plan.grid.down, plan.grid.across, product.a_row, product.a_column,
        product.b_row, product.b_column, plan.target.row})
    arguments.put(number);
  for (const Axes* axes : {&batch.extents, &batch.a_strides, &batch.b_strides, &batch.c_strides})
    arguments.put_all(std::span(*axes).first(static_cast<std::size_t>(batch.rank)));
  kernel.launch(device::Stream::current(place), grid_of(plan.tasks), tile * tile, 0, std::move(arguments).take(), cause,
                std::source_location::current());
}

}  // namespace tessera::plan
