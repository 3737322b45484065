// Matrix products by cuBLASLt, called by hand. The library is opened at run time, so that the other kernels run without it.
#include <cublasLt.h>
#include <dlfcn.h>

#include "by_hand.cuh"

namespace bench {

namespace {

void check(cublasStatus_t status) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cuBLASLt: status " + std::to_string(status));
}

/// The functions of the library that are called.
struct CublasLt {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtGetVersion) version;
  decltype(&cublasLtMatmulDescCreate) make_product;
  decltype(&cublasLtMatrixLayoutCreate) make_layout;
  decltype(&cublasLtMatmulPreferenceCreate) make_preference;
  decltype(&cublasLtMatmulPreferenceSetAttribute) set_preference;
  decltype(&cublasLtMatmulAlgoGetHeuristic) choose;
  decltype(&cublasLtMatmul) multiply;
  std::string problem;
};

template <class Function>
void resolve(void* library, Function& function, const char* name, std::string& problem) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && problem.empty()) problem = std::string("cuBLASLt has no ") + name;
}

CublasLt open_library() {
  CublasLt all{};
  void* library = nullptr;
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so",
                           "/usr/local/cuda/lib64/libcublasLt.so.13", "/usr/local/cuda/lib64/libcublasLt.so"})
    if (library == nullptr) library = dlopen(name, RTLD_NOW);
  if (library == nullptr) {
    all.problem = "there is no libcublasLt.so.13, libcublasLt.so.12 or libcublasLt.so";
    return all;
  }
  resolve(library, all.create, "cublasLtCreate", all.problem);
  resolve(library, all.version, "cublasLtGetVersion", all.problem);
  resolve(library, all.make_product, "cublasLtMatmulDescCreate", all.problem);
  resolve(library, all.make_layout, "cublasLtMatrixLayoutCreate", all.problem);
  resolve(library, all.make_preference, "cublasLtMatmulPreferenceCreate", all.problem);
  resolve(library, all.set_preference, "cublasLtMatmulPreferenceSetAttribute", all.problem);
  resolve(library, all.choose, "cublasLtMatmulAlgoGetHeuristic", all.problem);
  resolve(library, all.multiply, "cublasLtMatmul", all.problem);
  return all;
}

const CublasLt& cublaslt() {
  static const CublasLt library = open_library();
  return library;
}

const CublasLt& required() {
  if (!cublaslt().problem.empty()) throw std::runtime_error(cublaslt().problem);
  return cublaslt();
}

constexpr std::int64_t workspace_bytes = std::int64_t{64} << 20;

/// How one product is computed: what the library's heuristic puts first. Its objects live as long as the process.
struct Plan {
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t layout = nullptr;  // all three matrices have the same
  cublasLtMatmulHeuristicResult_t chosen{};

  Plan(cudaDataType_t type, std::int64_t side) {
    const CublasLt& library = required();
    check(library.create(&handle));
    check(library.make_product(&product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    const auto extent = static_cast<std::uint64_t>(side);
    check(library.make_layout(&layout, type, extent, extent, side));
    cublasLtMatmulPreference_t preference = nullptr;
    check(library.make_preference(&preference));
    const auto most = static_cast<std::uint64_t>(workspace_bytes);
    check(library.set_preference(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most));
    int found = 0;
    check(library.choose(handle, product, layout, layout, layout, layout, preference, 1, &chosen, &found));
    if (found == 0) throw std::runtime_error("cuBLASLt has no algorithm for the product");
  }
};

/// c = a b, row-major: for a library that thinks in columns, c^T = b^T a^T.
template <class T>
Work product_of(const Request& request, cudaDataType_t type) {
  struct Set {
    Memory<T> a, b, c;
  };
  const std::int64_t count = request.count();
  const Plan plan(type, request.rows);
  const Memory<unsigned char> workspace(workspace_bytes);
  return rotate(
      request, 3 * count * static_cast<std::int64_t>(sizeof(T)),
      [&] { return Set{numbers<T>(count, 1), numbers<T>(count, 2), poisoned<T>(count)}; },
      [plan, workspace](const Set& s) {
        const float one = 1.0f, zero = 0.0f;
        check(required().multiply(plan.handle, plan.product, &one, s.b.data(), plan.layout, s.a.data(), plan.layout,
                                  &zero, s.c.data(), plan.layout, s.c.data(), plan.layout, &plan.chosen.algo,
                                  workspace.data(), static_cast<std::size_t>(workspace.count()), nullptr));
      },
      [](const Set& s) { return samples(s.c); });
}

}  // namespace

std::vector<Kernel> cublaslt_kernels() {
  return {{"matmul", "f32", [](const Request& request) { return product_of<float>(request, CUDA_R_32F); }},
          {"matmul", "f16", [](const Request& request) { return product_of<__half>(request, CUDA_R_16F); }},
          {"matmul", "bf16", [](const Request& request) { return product_of<__nv_bfloat16>(request, CUDA_R_16BF); }}};
}

std::string cublaslt_version() {
  return cublaslt().problem.empty() ? std::to_string(cublaslt().version()) : cublaslt().problem;
}

}  // namespace bench
