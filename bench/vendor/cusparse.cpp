#include <cusparse.h>
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "bench/vendor/fastest_call.h"
#include "bench/vendor/reference.h"
#include "bench/vendor/vendor_library.h"

namespace warptune::bench::vendor {

namespace {

#define WARPTUNE_CUSPARSE_FUNCTIONS(X) \
  X(cusparseCreate)                    \
  X(cusparseDestroy)                   \
  X(cusparseGetProperty)               \
  X(cusparseGetErrorString)            \
  X(cusparseSetStream)                 \
  X(cusparseCreateCsr)                 \
  X(cusparseDestroySpMat)              \
  X(cusparseCreateDnVec)               \
  X(cusparseDestroyDnVec)              \
  X(cusparseSpMV_bufferSize)           \
  X(cusparseSpMV_preprocess)           \
  X(cusparseSpMV)

struct Cusparse {
  WARPTUNE_CUSPARSE_FUNCTIONS(WARPTUNE_DECLARE_FUNCTION)
};

const Cusparse& cusparse() {
  static const Cusparse loaded = [] {
    static const base::SharedLibrary library = load_vendor_library("libcusparse.so.12");
    Cusparse api;
    WARPTUNE_CUSPARSE_FUNCTIONS(WARPTUNE_LOAD_FUNCTION)
    return api;
  }();
  return loaded;
}

void check(cusparseStatus_t status, const char* call) {
  if (status != CUSPARSE_STATUS_SUCCESS)
    require_success(status, call, cusparse().cusparseGetErrorString(status));
}

std::string version_text() {
  int major = 0;
  int minor = 0;
  int patch = 0;
  check(cusparse().cusparseGetProperty(MAJOR_VERSION, &major), "cusparseGetProperty");
  check(cusparse().cusparseGetProperty(MINOR_VERSION, &minor), "cusparseGetProperty");
  check(cusparse().cusparseGetProperty(PATCH_LEVEL, &patch), "cusparseGetProperty");
  return fmt::format("cuSPARSE {}.{}.{}", major, minor, patch);
}

struct Sizes {
  std::int64_t rows, columns, entries;
};
struct Positions {
  std::size_t offsets, columns, values, x, y;
};

// A sparse product. Its descriptors contain the addresses of the buffers. The first launch makes them and
// analyses the matrix.
class Product {
 public:
  Product(const Sizes& sizes, const Positions& at, bool is_double, cusparseSpMVAlg_t algorithm)
      : sizes_(sizes), at_(at), type_(is_double ? CUDA_R_64F : CUDA_R_32F), algorithm_(algorithm) {
    check(cusparse().cusparseCreate(&handle_), "cusparseCreate");
  }
  ~Product() {
    if (matrix_ != nullptr) cusparse().cusparseDestroySpMat(matrix_);
    if (x_ != nullptr) cusparse().cusparseDestroyDnVec(x_);
    if (y_ != nullptr) cusparse().cusparseDestroyDnVec(y_);
    cusparse().cusparseDestroy(handle_);
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  void launch(void* stream, const std::vector<std::uint64_t>& buffers) {
    if (!analysed_) analyse(stream, buffers);
    check(cusparse().cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, one(), matrix_, x_, zero(), y_,
                                  type_, algorithm_, pointer_of(workspace_->get())),
          "cusparseSpMV");
  }

 private:
  void analyse(void* stream, const std::vector<std::uint64_t>& buffers) {
    check(cusparse().cusparseSetStream(handle_, static_cast<cudaStream_t>(stream)), "cusparseSetStream");
    check(cusparse().cusparseCreateCsr(&matrix_, sizes_.rows, sizes_.columns, sizes_.entries,
                                       pointer_of(buffers[at_.offsets]), pointer_of(buffers[at_.columns]),
                                       pointer_of(buffers[at_.values]), CUSPARSE_INDEX_32I,
                                       CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type_),
          "cusparseCreateCsr");
    check(cusparse().cusparseCreateDnVec(&x_, sizes_.columns, pointer_of(buffers[at_.x]), type_),
          "cusparseCreateDnVec");
    check(cusparse().cusparseCreateDnVec(&y_, sizes_.rows, pointer_of(buffers[at_.y]), type_),
          "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check(cusparse().cusparseSpMV_bufferSize(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, one(), matrix_, x_,
                                             zero(), y_, type_, algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    workspace_ = shared_memory(bytes + 1, "cuSPARSE's buffer");
    check(cusparse().cusparseSpMV_preprocess(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, one(), matrix_, x_,
                                             zero(), y_, type_, algorithm_, pointer_of(workspace_->get())),
          "cusparseSpMV_preprocess");
    analysed_ = true;
  }

  const void* one() const { return type_ == CUDA_R_64F ? static_cast<const void*>(&kOneF64) : &kOneF32; }
  const void* zero() const { return type_ == CUDA_R_64F ? static_cast<const void*>(&kZeroF64) : &kZeroF32; }
  static constexpr double kOneF64 = 1.0, kZeroF64 = 0.0;
  static constexpr float kOneF32 = 1.0F, kZeroF32 = 0.0F;

  Sizes sizes_;
  Positions at_;
  cudaDataType type_;
  cusparseSpMVAlg_t algorithm_;
  cusparseHandle_t handle_ = nullptr;
  cusparseSpMatDescr_t matrix_ = nullptr;
  cusparseDnVecDescr_t x_ = nullptr;
  cusparseDnVecDescr_t y_ = nullptr;
  std::shared_ptr<profiling::driver::DeviceMemory> workspace_;
  bool analysed_ = false;
};

}  // namespace

std::vector<Call> make_cusparse_spmv(const Workload& workload) {
  const Sizes sizes = {workload.size("ROWS"), workload.size("COLUMNS"), workload.size("NNZ")};
  const Positions at = {workload.position("offsets"), workload.position("columns"),
                        workload.position("values"), workload.position("x"), workload.position("y")};
  const std::string type = workload.type_name("values");
  if (type != "f32" && type != "f64") throw base::InputError("the reference takes f32 and f64, not " + type);
  for (const char* index : {"offsets", "columns"}) {
    if (workload.type_name(index) != "i32") throw base::InputError("the reference takes 32-bit indices");
  }
  std::vector<Call> calls;
  for (const auto& [algorithm, name] :
       {std::pair(CUSPARSE_SPMV_CSR_ALG1, "CSR_ALG1"), std::pair(CUSPARSE_SPMV_CSR_ALG2, "CSR_ALG2")}) {
    const auto product = std::make_shared<Product>(sizes, at, type == "f64", algorithm);
    Call& call = calls.emplace_back();
    call.name = fmt::format("{} SpMV {}, analysed before", version_text(), name);
    call.launch.launch = [product](void* stream, const std::vector<std::uint64_t>& buffers) {
      product->launch(stream, buffers);
    };
  }
  return {fastest_call(workload, calls)};
}

}  // namespace warptune::bench::vendor
