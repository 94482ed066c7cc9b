#pragma once

#include <string>

#include "base/shared_library.h"
#include "kernel_templates/launch_plan.h"
#include "profiling/driver/cuda_driver.h"

struct cublasContext;

namespace warptune::profiling::driver {

/// Loads libcublas when it is first asked for. The few functions that are needed are declared here, because
/// cuBLAS's header may be missing where warptune is built. Throws `base::MachineError` with the library's
/// name when it is missing.
const base::SharedLibrary& cublas_library();

/// Throws `base::MachineError` with the name `call` and the reason, unless `status` is success.
void check_cublas(int status, const char* call);

/// Values of cublasMath_t.
enum class CublasMath { kDefault = 0, kPedantic = 2 };

/// A cuBLAS handle of the current context.
class CublasHandle {
 public:
  /// With `own_workspace` the object allocates the workspace that cuBLAS uses on `stream`. This is necessary
  /// in graphs and with several streams.
  explicit CublasHandle(CublasMath math, CUstream stream = nullptr, bool own_workspace = false);
  ~CublasHandle();
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  /// Sets the handle's stream, and returns the handle.
  cublasContext* on(CUstream stream);
  /// "cuBLAS 13.1.0"
  std::string version() const;

 private:
  cublasContext* handle_ = nullptr;
  CUstream stream_ = nullptr;
  DeviceMemory workspace_;
};

/// Enqueues the row-major product C = A B on the handle's stream.
void multiply(cublasContext* handle, const kernel_templates::MatrixProductStep& step, CUdeviceptr a,
              CUdeviceptr b, CUdeviceptr c);

}  // namespace warptune::profiling::driver
