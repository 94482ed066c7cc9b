#include "survey/analysis/library_kernels.h"

#include <string_view>

namespace warptune::survey::analysis {

namespace {

constexpr std::string_view kCommunicationNames[] = {"ncclDevKernel", "ncclKernel"};

// How names of closed libraries begin, after the return type.
constexpr std::string_view kClosedNames[] = {
    "nvjet_",                     // cuBLAS, Hopper and later
    "volta_",                     // cuBLAS and cuDNN: volta_sgemm_128x64_nn
    "turing_",                    //
    "ampere_",                    //
    "hopper_",                    //
    "sm70_xmma_",                 // cuBLAS and cuDNN: sm80_xmma_gemm_f16f16_...
    "sm75_xmma_",                 //
    "sm80_xmma_",                 //
    "sm86_xmma_",                 //
    "sm89_xmma_",                 //
    "sm90_xmma_",                 //
    "sm100_xmma_",                //
    "cutlass::Kernel2<cutlass_",  // cuBLAS: classes with names such as cutlass_80_tensorop_...
    "cublasLt::",                 //
    "cublas",                     // cublasGemvKernel..., cublasSplitK...
    "gemv2T_kernel_val",          // cuBLAS
    "gemvNSP_kernel",             // cuBLAS
    "cudnn::",                    //
    "cusparse::",                 //
    "vector_fft",                 // cuFFT
    "regular_fft",                // cuFFT
};

template <class Names>
bool begins_with_one(std::string_view name, const Names& names) {
  for (const std::string_view begin : names) {
    if (name.starts_with(begin)) return true;
  }
  return false;
}

}  // namespace

KernelLibrary library_of_kernel(std::string_view name) {
  constexpr std::string_view kReturnType = "void ";
  if (name.starts_with(kReturnType)) name.remove_prefix(kReturnType.size());
  if (begins_with_one(name, kCommunicationNames)) return KernelLibrary::kCommunication;
  return begins_with_one(name, kClosedNames) ? KernelLibrary::kClosed : KernelLibrary::kNone;
}

}  // namespace warptune::survey::analysis
