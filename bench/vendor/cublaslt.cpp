#include <cublasLt.h>
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "bench/vendor/fastest_call.h"
#include "bench/vendor/reference.h"
#include "bench/vendor/vendor_library.h"

namespace warptune::bench::vendor {

namespace {

#define WARPTUNE_CUBLASLT_FUNCTIONS(X)    \
  X(cublasLtCreate)                       \
  X(cublasLtDestroy)                      \
  X(cublasLtGetVersion)                   \
  X(cublasLtGetStatusString)              \
  X(cublasLtMatmul)                       \
  X(cublasLtMatmulAlgoGetHeuristic)       \
  X(cublasLtMatmulDescCreate)             \
  X(cublasLtMatmulDescDestroy)            \
  X(cublasLtMatmulDescSetAttribute)       \
  X(cublasLtMatmulPreferenceCreate)       \
  X(cublasLtMatmulPreferenceDestroy)      \
  X(cublasLtMatmulPreferenceSetAttribute) \
  X(cublasLtMatrixLayoutCreate)           \
  X(cublasLtMatrixLayoutDestroy)          \
  X(cublasLtMatrixTransform)              \
  X(cublasLtMatrixTransformDescCreate)    \
  X(cublasLtMatrixTransformDescDestroy)   \
  X(cublasLtMatrixTransformDescSetAttribute)

struct CublasLt {
  WARPTUNE_CUBLASLT_FUNCTIONS(WARPTUNE_DECLARE_FUNCTION)
};

const CublasLt& lt() {
  static const CublasLt loaded = [] {
    static const base::SharedLibrary library = load_vendor_library("libcublasLt.so.13");
    CublasLt api;
    WARPTUNE_CUBLASLT_FUNCTIONS(WARPTUNE_LOAD_FUNCTION)
    return api;
  }();
  return loaded;
}

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS) require_success(status, call, lt().cublasLtGetStatusString(status));
}

// Handles are shared pointers, because calls are copied.
template <class Handle, class Destroy>
std::shared_ptr<std::remove_pointer_t<Handle>> owned(Handle handle, Destroy destroy) {
  return {handle, [destroy](Handle held) { destroy(held); }};
}

using Library = std::shared_ptr<std::remove_pointer_t<cublasLtHandle_t>>;
using Layout = std::shared_ptr<std::remove_pointer_t<cublasLtMatrixLayout_t>>;

Library make_library() {
  cublasLtHandle_t handle = nullptr;
  check(lt().cublasLtCreate(&handle), "cublasLtCreate");
  return owned(handle, lt().cublasLtDestroy);
}

// A column-major layout without padding.
Layout make_layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(lt().cublasLtMatrixLayoutCreate(&layout, type, static_cast<std::uint64_t>(rows),
                                        static_cast<std::uint64_t>(columns), rows),
        "cublasLtMatrixLayoutCreate");
  return owned(layout, lt().cublasLtMatrixLayoutDestroy);
}

std::string version_text() {
  const std::size_t number = lt().cublasLtGetVersion();
  return fmt::format("cuBLASLt {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

cudaDataType_t data_type(const std::string& name) {
  if (name == "f16") return CUDA_R_16F;
  if (name == "bf16") return CUDA_R_16BF;
  if (name == "f32") return CUDA_R_32F;
  if (name == "f64") return CUDA_R_64F;
  if (name == "i8") return CUDA_R_8I;
  if (name == "i32") return CUDA_R_32I;
  throw base::InputError("cuBLASLt has no type " + name);
}

constexpr std::size_t kWorkspaceBytes = 64UL << 20U;
constexpr int kHeuristics = 16;

}  // namespace

// Row-major C = A B is column-major C^T = B^T A^T. B is stored as K x N, or as N x K if the definition says
// so.
std::vector<Call> make_cublaslt_gemm(const Workload& workload) {
  const std::int64_t m = workload.size("M");
  const std::int64_t n = workload.size("N");
  const std::int64_t k = workload.size("K");
  const std::string type = workload.type_name("a");
  const bool transposed_b = workload.text("b_layout") == "nk";
  const bool tf32 = type == "f32";
  const auto in_type = data_type(type);
  const auto out_type = data_type(workload.type_name("c"));
  const auto alpha = workload.has_argument("alpha") ? static_cast<float>(workload.scalar("alpha")) : 1.0F;
  const auto beta = workload.has_argument("beta") ? static_cast<float>(workload.scalar("beta")) : 0.0F;
  const std::size_t a = workload.position("a");
  const std::size_t b = workload.position("b");
  const std::size_t c = workload.position("c");

  const Library library = make_library();
  cublasLtMatmulDesc_t operation_handle = nullptr;
  check(lt().cublasLtMatmulDescCreate(&operation_handle,
                                      tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F),
        "cublasLtMatmulDescCreate");
  const auto operation = owned(operation_handle, lt().cublasLtMatmulDescDestroy);
  const cublasOperation_t first = transposed_b ? CUBLAS_OP_T : CUBLAS_OP_N;
  check(
      lt().cublasLtMatmulDescSetAttribute(operation.get(), CUBLASLT_MATMUL_DESC_TRANSA, &first, sizeof first),
      "cublasLtMatmulDescSetAttribute");
  const Layout layout_b = transposed_b ? make_layout(in_type, k, n) : make_layout(in_type, n, k);
  const Layout layout_a = make_layout(in_type, k, m);
  const Layout layout_c = make_layout(out_type, n, m);
  cublasLtMatmulPreference_t preference_handle = nullptr;
  check(lt().cublasLtMatmulPreferenceCreate(&preference_handle), "cublasLtMatmulPreferenceCreate");
  const auto preference = owned(preference_handle, lt().cublasLtMatmulPreferenceDestroy);
  check(lt().cublasLtMatmulPreferenceSetAttribute(preference.get(), CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                  &kWorkspaceBytes, sizeof kWorkspaceBytes),
        "cublasLtMatmulPreferenceSetAttribute");
  std::vector<cublasLtMatmulHeuristicResult_t> found(kHeuristics);
  int count = 0;
  check(lt().cublasLtMatmulAlgoGetHeuristic(library.get(), operation.get(), layout_b.get(), layout_a.get(),
                                            layout_c.get(), layout_c.get(), preference.get(), kHeuristics,
                                            found.data(), &count),
        "cublasLtMatmulAlgoGetHeuristic");
  const auto workspace = shared_memory(kWorkspaceBytes, "cuBLASLt's workspace");

  std::vector<Call> heuristics;
  for (int i = 0; i < count; ++i) {
    Call& call = heuristics.emplace_back();
    call.name = fmt::format("{} {}, heuristic {} of {}", version_text(), tf32 ? "tf32" : type, i + 1, count);
    call.launch.launch = [=, algorithm = found[static_cast<std::size_t>(i)].algo](
                             void* stream, const std::vector<std::uint64_t>& buffers) {
      check(lt().cublasLtMatmul(library.get(), operation.get(), &alpha, pointer_of(buffers[b]),
                                layout_b.get(), pointer_of(buffers[a]), layout_a.get(), &beta,
                                pointer_of(buffers[c]), layout_c.get(), pointer_of(buffers[c]),
                                layout_c.get(), &algorithm, pointer_of(workspace->get()), kWorkspaceBytes,
                                static_cast<cudaStream_t>(stream)),
            "cublasLtMatmul");
    };
  }
  // A heuristic may propose an algorithm that then fails.
  const std::vector<Call> working = working_calls(workload, heuristics);
  std::vector<Call> calls = {fastest_call(workload, working)};
  if (calls.front().name != working.front().name) calls.push_back(working.front());
  return calls;
}

std::vector<Call> make_cublaslt_transpose(const Workload& workload) {
  const std::int64_t rows = workload.size("M");
  const std::int64_t columns = workload.size("N");
  const std::string type = workload.type_name("in");
  const auto cuda_type = data_type(type);
  const std::size_t in = workload.position("in");
  const std::size_t out = workload.position("out");
  const Library library = make_library();
  cublasLtMatrixTransformDesc_t handle = nullptr;
  check(lt().cublasLtMatrixTransformDescCreate(&handle, type == "f64" ? CUDA_R_64F : CUDA_R_32F),
        "cublasLtMatrixTransformDescCreate");
  const auto operation = owned(handle, lt().cublasLtMatrixTransformDescDestroy);
  const cublasOperation_t transposed = CUBLAS_OP_T;
  check(lt().cublasLtMatrixTransformDescSetAttribute(operation.get(), CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA,
                                                     &transposed, sizeof transposed),
        "cublasLtMatrixTransformDescSetAttribute");
  const Layout from = make_layout(cuda_type, columns, rows);
  const Layout to = make_layout(cuda_type, rows, columns);
  Call call;
  call.name = version_text() + " MatrixTransform";
  call.launch.launch = [=](void* stream, const std::vector<std::uint64_t>& buffers) {
    const double one_f64 = 1.0;
    const double zero_f64 = 0.0;
    const float one_f32 = 1.0F;
    const float zero_f32 = 0.0F;
    const bool is_double = type == "f64";
    check(lt().cublasLtMatrixTransform(
              library.get(), operation.get(),
              is_double ? static_cast<const void*>(&one_f64) : static_cast<const void*>(&one_f32),
              pointer_of(buffers[in]), from.get(),
              is_double ? static_cast<const void*>(&zero_f64) : static_cast<const void*>(&zero_f32), nullptr,
              nullptr, pointer_of(buffers[out]), to.get(), static_cast<cudaStream_t>(stream)),
          "cublasLtMatrixTransform");
  };
  return {call};
}

}  // namespace warptune::bench::vendor
