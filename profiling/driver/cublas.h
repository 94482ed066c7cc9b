#pragma once

#include <string>

#include "base/shared_library.h"
#include "kernel_templates/launch_plan.h"
#include "profiling/driver/cuda_driver.h"

struct cublasContext;

namespace warptune::profiling::driver {

/// libcublas, loaded when first asked for. Its few functions needed here are declared here, since its header
/// may be missing where warptune is built. Throws `base::MachineError` naming the library when it is not
/// there.
const base::SharedLibrary& cublas_library();

/// Throws `base::MachineError` saying what the library refused, unless `status` is success.
void check_cublas(int status, const char* call);

/// cublasMath_t.
enum class CublasMath { kDefault = 0, kPedantic = 2 };

/// A cuBLAS handle of the current context; scalars are the host's.
class CublasHandle {
 public:
  /// `own_workspace`: it uses memory of its own on `stream`, as graphs and several streams need.
  explicit CublasHandle(CublasMath math, CUstream stream = nullptr, bool own_workspace = false);
  ~CublasHandle();
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;

  /// The handle, on `stream`.
  cublasContext* on(CUstream stream);
  /// "cuBLAS 13.1.0"
  std::string version() const;

 private:
  cublasContext* handle_ = nullptr;
  CUstream stream_ = nullptr;
  DeviceMemory workspace_;
};

/// Enqueues row-major C = A B on the handle's stream.
void multiply(cublasContext* handle, const kernel_templates::MatrixProductStep& step, CUdeviceptr a,
              CUdeviceptr b, CUdeviceptr c);

}  // namespace warptune::profiling::driver
