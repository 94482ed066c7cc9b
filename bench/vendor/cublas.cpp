#include <cublas_v2.h>
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "bench/vendor/reference.h"
#include "bench/vendor/vendor_library.h"
#include "profiling/driver/cublas.h"

namespace warptune::bench::vendor {

namespace {

using profiling::driver::check_cublas;
using profiling::driver::cublas_library;
using profiling::driver::CublasHandle;
using profiling::driver::CublasMath;

#define WARPTUNE_CUBLAS_FUNCTIONS(X) \
  X(cublasSetPointerMode)            \
  X(cublasSgemm)                     \
  X(cublasSgemmStridedBatched)       \
  X(cublasSgeam)                     \
  X(cublasDgeam)                     \
  X(cublasSdot)                      \
  X(cublasDdot)

struct Cublas {
  WARPTUNE_CUBLAS_FUNCTIONS(WARPTUNE_DECLARE_FUNCTION)
};

const Cublas& cublas() {
  static const Cublas loaded = [] {
    const base::SharedLibrary& library = profiling::driver::cublas_library();
    Cublas api;
    WARPTUNE_CUBLAS_FUNCTIONS(WARPTUNE_LOAD_FUNCTION)
    return api;
  }();
  return loaded;
}

// The type is written out because the header overloads the function.
using GemmStridedBatched = cublasStatus_t(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int,
                                          const void*, const void*, cudaDataType, int, long long, const void*,
                                          cudaDataType, int, long long, const void*, void*, cudaDataType, int,
                                          long long, int, cublasComputeType_t, cublasGemmAlgo_t);
GemmStridedBatched* cublas_gemm_strided_batched() {
  static auto* const loaded =
      profiling::driver::cublas_library().function<GemmStridedBatched>("cublasGemmStridedBatchedEx");
  return loaded;
}

void check(cublasStatus_t status, const char* call) { profiling::driver::check_cublas(status, call); }

int narrow(std::int64_t size) {
  if (size > 2147483647) throw base::InputError("a size exceeds cuBLAS' 32-bit integers");
  return static_cast<int>(size);
}

void require_type(const Workload& workload, std::string_view argument, std::string_view type) {
  if (workload.type_name(argument) != type) {
    throw base::InputError(
        fmt::format("the reference takes {} where {} is {}", type, argument, workload.type_name(argument)));
  }
}

struct MathMode {
  CublasMath mode;
  const char* name;
};
constexpr MathMode kMathModes[] = {{CublasMath::kPedantic, "pedantic math"},
                                   {CublasMath::kDefault, "default math"}};

}  // namespace

// Row-major C = A B is column-major C^T = B^T A^T.
std::vector<Call> make_cublas_sgemm(const Workload& workload) {
  for (const char* matrix : {"a", "b", "c"}) require_type(workload, matrix, "f32");
  const int m = narrow(workload.size("M"));
  const int n = narrow(workload.size("N"));
  const int k = narrow(workload.size("K"));
  const auto alpha = static_cast<float>(workload.scalar("alpha"));
  const auto beta = static_cast<float>(workload.scalar("beta"));
  const std::size_t a = workload.position("a");
  const std::size_t b = workload.position("b");
  const std::size_t c = workload.position("c");
  const int batch = narrow(workload.size("BATCH"));
  const long long stride_a = static_cast<long long>(m) * k;
  const long long stride_b = static_cast<long long>(k) * n;
  const long long stride_c = static_cast<long long>(m) * n;
  std::vector<Call> calls;
  for (const auto& [mode, name] : kMathModes) {
    const auto handle = std::make_shared<CublasHandle>(mode);
    Call& call = calls.emplace_back();
    call.name = fmt::format("{} Sgemm{}, {}", handle->version(), batch == 1 ? "" : "StridedBatched", name);
    call.launch.launch = [=](void* stream, const std::vector<std::uint64_t>& buffers) {
      const auto* left = static_cast<const float*>(pointer_of(buffers[b]));
      const auto* right = static_cast<const float*>(pointer_of(buffers[a]));
      auto* out = static_cast<float*>(pointer_of(buffers[c]));
      if (batch == 1) {
        check(cublas().cublasSgemm(handle->on(static_cast<CUstream>(stream)), CUBLAS_OP_N, CUBLAS_OP_N, n, m,
                                   k, &alpha, left, n, right, k, &beta, out, n),
              "cublasSgemm");
      } else {
        check(cublas().cublasSgemmStridedBatched(handle->on(static_cast<CUstream>(stream)), CUBLAS_OP_N,
                                                 CUBLAS_OP_N, n, m, k, &alpha, left, n, stride_b, right, k,
                                                 stride_a, &beta, out, n, stride_c, batch),
              "cublasSgemmStridedBatched");
      }
    };
  }
  return calls;
}

std::vector<Call> make_cublas_batched_gemm(const Workload& workload) {
  const std::string type = workload.type_name("a");
  const int m = narrow(workload.size("M"));
  const int n = narrow(workload.size("N"));
  const int k = narrow(workload.size("K"));
  const int batch = narrow(workload.size("BATCH"));
  const std::size_t a = workload.position("a");
  const std::size_t b = workload.position("b");
  const std::size_t c = workload.position("c");
  const long long stride_a = static_cast<long long>(m) * k;
  const long long stride_b = static_cast<long long>(k) * n;
  const long long stride_c = static_cast<long long>(m) * n;
  const cudaDataType_t element = type == "f16" ? CUDA_R_16F : type == "f64" ? CUDA_R_64F : CUDA_R_32F;
  if (type != "f16" && type != "f32" && type != "f64")
    throw base::InputError("the reference takes f16, f32 and f64, not " + type);
  struct Mode {
    cublasComputeType_t compute;
    const char* name;
  };
  std::vector<Mode> modes = {{CUBLAS_COMPUTE_32F, "sums in f32"}};
  if (type == "f64") modes = {{CUBLAS_COMPUTE_64F, "f64"}};
  if (type == "f32")
    modes = {{CUBLAS_COMPUTE_32F_PEDANTIC, "pedantic f32"}, {CUBLAS_COMPUTE_32F, "default f32"}};
  const auto handle = std::make_shared<CublasHandle>(CublasMath::kDefault);
  std::vector<Call> calls;
  for (const auto& [compute, name] : modes) {
    Call& call = calls.emplace_back();
    call.name = fmt::format("{} GemmStridedBatchedEx, {}", handle->version(), name);
    call.launch.launch = [=, by = compute](void* stream, const std::vector<std::uint64_t>& buffers) {
      const double one_f64 = 1.0;
      const double zero_f64 = 0.0;
      const float one_f32 = 1.0F;
      const float zero_f32 = 0.0F;
      const bool is_double = type == "f64";
      check(cublas_gemm_strided_batched()(
                handle->on(static_cast<CUstream>(stream)), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,
                is_double ? static_cast<const void*>(&one_f64) : &one_f32, pointer_of(buffers[b]), element, n,
                stride_b, pointer_of(buffers[a]), element, k, stride_a,
                is_double ? static_cast<const void*>(&zero_f64) : &zero_f32, pointer_of(buffers[c]), element,
                n, stride_c, batch, by, CUBLAS_GEMM_DEFAULT),
            "cublasGemmStridedBatchedEx");
    };
  }
  return calls;
}

std::vector<Call> make_cublas_dot(const Workload& workload) {
  const std::string type = workload.type_name("a");
  require_type(workload, "result", type);
  if (type != "f32" && type != "f64") throw base::InputError("cuBLAS has no dot product from " + type);
  const int n = narrow(workload.size("N"));
  const std::size_t a = workload.position("a");
  const std::size_t b = workload.position("b");
  const std::size_t result = workload.position("result");
  const auto handle = std::make_shared<CublasHandle>(CublasMath::kDefault);
  check(cublas().cublasSetPointerMode(handle->on(nullptr), CUBLAS_POINTER_MODE_DEVICE),
        "cublasSetPointerMode");
  Call call;
  call.name = fmt::format("{} {}dot", handle->version(), type == "f32" ? "S" : "D");
  call.launch.launch = [=](void* stream, const std::vector<std::uint64_t>& buffers) {
    void* x = pointer_of(buffers[a]);
    void* y = pointer_of(buffers[b]);
    void* out = pointer_of(buffers[result]);
    if (type == "f32") {
      check(cublas().cublasSdot(handle->on(static_cast<CUstream>(stream)), n, static_cast<const float*>(x), 1,
                                static_cast<const float*>(y), 1, static_cast<float*>(out)),
            "cublasSdot");
    } else {
      check(cublas().cublasDdot(handle->on(static_cast<CUstream>(stream)), n, static_cast<const double*>(x),
                                1, static_cast<const double*>(y), 1, static_cast<double*>(out)),
            "cublasDdot");
    }
  };
  return {call};
}

// A row-major M x N input is a column-major N x M one; its transpose is column-major M x N.
std::vector<Call> make_cublas_geam(const Workload& workload) {
  const std::string type = workload.type_name("in");
  if (type != "f32" && type != "f64") throw base::InputError("cuBLAS has no geam of " + type);
  const int rows = narrow(workload.size("M"));
  const int columns = narrow(workload.size("N"));
  const std::size_t in = workload.position("in");
  const std::size_t out = workload.position("out");
  const auto handle = std::make_shared<CublasHandle>(CublasMath::kDefault);
  Call call;
  call.name = fmt::format("{} {}geam", handle->version(), type == "f32" ? "S" : "D");
  call.launch.launch = [=](void* stream, const std::vector<std::uint64_t>& buffers) {
    const auto transpose = [&]<class T>(auto geam, T one, T zero) {
      auto* to = static_cast<T*>(pointer_of(buffers[out]));
      check(geam(handle->on(static_cast<CUstream>(stream)), CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one,
                 static_cast<const T*>(pointer_of(buffers[in])), columns, &zero, to, rows, to, rows),
            "cublas geam");
    };
    if (type == "f32") {
      transpose(cublas().cublasSgeam, 1.0F, 0.0F);
    } else {
      transpose(cublas().cublasDgeam, 1.0, 0.0);
    }
  };
  return {call};
}

}  // namespace warptune::bench::vendor
