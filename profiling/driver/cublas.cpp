#include "profiling/driver/cublas.h"

#include <fmt/format.h>

#include "base/error.h"

namespace warptune::profiling::driver {

namespace {

using kernel_templates::DataType;

// Declarations and numbers as in cublas_api.h and library_types.h of CUDA 13.
using Create = int(cublasContext**);
using Destroy = int(cublasContext*);
using GetVersion = int(cublasContext*, int*);
using StatusString = const char*(int);
using SetStream = int(cublasContext*, CUstream);
using SetMathMode = int(cublasContext*, int);
using SetWorkspace = int(cublasContext*, void*, std::size_t);
using GemmEx = int(cublasContext*, int, int, int, int, int, const void*, const void*, int, int, const void*,
                   int, int, const void*, void*, int, int, int, int);
constexpr int kNoTranspose = 0;        // CUBLAS_OP_N
constexpr int kDefaultAlgorithm = -1;  // CUBLAS_GEMM_DEFAULT
// CUBLAS_COMPUTE_32F. The next number is CUBLAS_COMPUTE_32F_PEDANTIC.
constexpr int kCompute32 = 68;
// CUBLAS_COMPUTE_64F. The next number is CUBLAS_COMPUTE_64F_PEDANTIC.
constexpr int kCompute64 = 70;
// The size of cuBLAS's own workspace on an H200 (cuBLAS documentation, cublasSetWorkspace).
constexpr std::size_t kWorkspaceBytes = 32U << 20U;

struct Cublas {
  Create* create = nullptr;
  Destroy* destroy = nullptr;
  GetVersion* get_version = nullptr;
  StatusString* status_string = nullptr;
  SetStream* set_stream = nullptr;
  SetMathMode* set_math_mode = nullptr;
  SetWorkspace* set_workspace = nullptr;
  GemmEx* gemm = nullptr;
};

const Cublas& cublas() {
  static const Cublas loaded = [] {
    const base::SharedLibrary& library = cublas_library();
    Cublas api;
    api.create = library.function<Create>("cublasCreate_v2");
    api.destroy = library.function<Destroy>("cublasDestroy_v2");
    api.get_version = library.function<GetVersion>("cublasGetVersion_v2");
    api.status_string = library.function<StatusString>("cublasGetStatusString");
    api.set_stream = library.function<SetStream>("cublasSetStream_v2");
    api.set_math_mode = library.function<SetMathMode>("cublasSetMathMode");
    api.set_workspace = library.function<SetWorkspace>("cublasSetWorkspace_v2");
    api.gemm = library.function<GemmEx>("cublasGemmEx");
    return api;
  }();
  return loaded;
}

// The number of the type in cudaDataType.
int number_of(DataType type) {
  switch (type) {
    case DataType::kF16:
      return 2;
    case DataType::kBf16:
      return 14;
    case DataType::kF64:
      return 1;
    default:
      return 0;
  }
}

void* pointer(CUdeviceptr address) { return reinterpret_cast<void*>(address); }

}  // namespace

const base::SharedLibrary& cublas_library() {
  static const base::SharedLibrary library(
      {"libcublas.so.13"}, base::cuda_library_folders(),
      "install it, or add its folder to LD_LIBRARY_PATH; without it, warptune leaves out what calls cuBLAS");
  return library;
}

void check_cublas(int status, const char* call) {
  if (status == 0) return;
  throw base::MachineError(fmt::format("{}: {} ({})", call, cublas().status_string(status), status), "");
}

CublasHandle::CublasHandle(CublasMath math, CUstream stream, bool own_workspace) {
  check_cublas(cublas().create(&handle_), "cublasCreate");
  check_cublas(cublas().set_math_mode(handle_, static_cast<int>(math)), "cublasSetMathMode");
  on(stream);  // Before the workspace is set: setting a stream would remove it.
  if (!own_workspace) return;
  workspace_ = allocate(kWorkspaceBytes, "the workspace of cuBLAS");
  check_cublas(cublas().set_workspace(handle_, pointer(workspace_.get()), kWorkspaceBytes),
               "cublasSetWorkspace");
}

CublasHandle::~CublasHandle() { cublas().destroy(handle_); }

cublasContext* CublasHandle::on(CUstream stream) {
  if (stream != stream_) {
    check_cublas(cublas().set_stream(handle_, stream), "cublasSetStream");
    stream_ = stream;
  }
  return handle_;
}

std::string CublasHandle::version() const {
  int number = 0;
  check_cublas(cublas().get_version(handle_, &number), "cublasGetVersion");
  return fmt::format("cuBLAS {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

// cuBLAS expects column-major matrices. The row-major product C = A B is the column-major C^T = B^T A^T.
void multiply(cublasContext* handle, const kernel_templates::MatrixProductStep& step, CUdeviceptr a,
              CUdeviceptr b, CUdeviceptr c) {
  const bool is_double = step.type == DataType::kF64;
  const float one_f32 = 1.0F;
  const float zero_f32 = 0.0F;
  const double one_f64 = 1.0;
  const double zero_f64 = 0.0;
  const void* one = is_double ? static_cast<const void*>(&one_f64) : &one_f32;
  const void* zero = is_double ? static_cast<const void*>(&zero_f64) : &zero_f32;
  const int compute = (is_double ? kCompute64 : kCompute32) + (step.pedantic ? 1 : 0);
  const int type = number_of(step.type);
  check_cublas(cublas().gemm(handle, kNoTranspose, kNoTranspose, step.n, step.m, step.k, one, pointer(b),
                             type, step.n, pointer(a), type, step.k, zero, pointer(c),
                             number_of(step.result_type), step.n, compute, kDefaultAlgorithm),
               "cublasGemmEx");
}

}  // namespace warptune::profiling::driver
