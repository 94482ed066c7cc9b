#pragma once

#include <cudnn.h>

#include <memory>
#include <string>

#include "base/error.h"
#include "bench/vendor/reference.h"
#include "bench/vendor/vendor_library.h"

namespace warptune::bench::vendor {

#define WARPTUNE_CUDNN_FUNCTIONS(X)          \
  X(cudnnCreate)                             \
  X(cudnnDestroy)                            \
  X(cudnnGetVersion)                         \
  X(cudnnGetErrorString)                     \
  X(cudnnSetStream)                          \
  X(cudnnCreateTensorDescriptor)             \
  X(cudnnDestroyTensorDescriptor)            \
  X(cudnnSetTensor4dDescriptor)              \
  X(cudnnSoftmaxForward)                     \
  X(cudnnCreateFilterDescriptor)             \
  X(cudnnDestroyFilterDescriptor)            \
  X(cudnnSetFilter4dDescriptor)              \
  X(cudnnCreateConvolutionDescriptor)        \
  X(cudnnDestroyConvolutionDescriptor)       \
  X(cudnnSetConvolution2dDescriptor)         \
  X(cudnnSetConvolutionMathType)             \
  X(cudnnGetConvolutionForwardWorkspaceSize) \
  X(cudnnConvolutionForward)                 \
  X(cudnnBackendCreateDescriptor)            \
  X(cudnnBackendDestroyDescriptor)           \
  X(cudnnBackendSetAttribute)                \
  X(cudnnBackendGetAttribute)                \
  X(cudnnBackendFinalize)                    \
  X(cudnnBackendExecute)

struct Cudnn {
  WARPTUNE_CUDNN_FUNCTIONS(WARPTUNE_DECLARE_FUNCTION)
};

inline const Cudnn& cudnn() {
  static const Cudnn loaded = [] {
    static const base::SharedLibrary library = load_vendor_library("libcudnn.so.9");
    Cudnn api;
    WARPTUNE_CUDNN_FUNCTIONS(WARPTUNE_LOAD_FUNCTION)
    return api;
  }();
  return loaded;
}

inline void check_cudnn(cudnnStatus_t status, const char* call) {
  if (status != CUDNN_STATUS_SUCCESS) require_success(status, call, cudnn().cudnnGetErrorString(status));
}

/// A cuDNN handle. Each launch sets its stream.
class CudnnHandle {
 public:
  CudnnHandle() { check_cudnn(cudnn().cudnnCreate(&handle_), "cudnnCreate"); }
  ~CudnnHandle() { cudnn().cudnnDestroy(handle_); }
  CudnnHandle(const CudnnHandle&) = delete;
  CudnnHandle& operator=(const CudnnHandle&) = delete;

  cudnnHandle_t get() const { return handle_; }
  cudnnHandle_t on(void* stream) {
    if (stream != stream_) {
      check_cudnn(cudnn().cudnnSetStream(handle_, static_cast<cudaStream_t>(stream)), "cudnnSetStream");
      stream_ = stream;
    }
    return handle_;
  }

 private:
  cudnnHandle_t handle_ = nullptr;
  void* stream_ = nullptr;
};

inline std::string cudnn_version() {
  const std::size_t number = cudnn().cudnnGetVersion();
  return fmt::format("cuDNN {}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

inline cudnnDataType_t cudnn_type(const std::string& name) {
  if (name == "f16") return CUDNN_DATA_HALF;
  if (name == "bf16") return CUDNN_DATA_BFLOAT16;
  if (name == "f32") return CUDNN_DATA_FLOAT;
  if (name == "f64") return CUDNN_DATA_DOUBLE;
  throw base::InputError("cuDNN has no type " + name);
}

}  // namespace warptune::bench::vendor
