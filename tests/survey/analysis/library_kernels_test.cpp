#include "survey/analysis/library_kernels.h"

#include <gtest/gtest.h>

namespace warptune::survey::analysis {
namespace {

TEST(LibraryKernels, OfNcclAreCommunication) {
  EXPECT_EQ(library_of_kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            KernelLibrary::kCommunication);
  EXPECT_EQ(
      library_of_kernel("ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)"),
      KernelLibrary::kCommunication);
}

TEST(LibraryKernels, OfClosedLibrariesAreKnownByTheirNames) {
  for (const char* name :
       {"ampere_sgemm_128x64_nn", "sm80_xmma_gemm_f16f16_f16f32_f32_tn_n_tilesize128x128x32",
        "nvjet_hsh_256x128_64x4_1x2",
        "void cutlass::Kernel2<cutlass_80_tensorop_s1688gemm_128x128_16x5_nn_align4>(Params)",
        "void gemv2T_kernel_val<int, int, float>(cublasGemvParamsEx<int>)",
        "void cublasLt::splitKreduce_kernel<32, 16>(float*)",
        "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float>(float*)",
        "void vector_fft<256u>(kernel_arguments_t<unsigned int>)"})
    EXPECT_EQ(library_of_kernel(name), KernelLibrary::kClosed) << name;
}

TEST(LibraryKernels, OfAProgramBelongToNone) {
  for (const char* name :
       {"", "void sgemm(float*)", "void cutlass::Kernel2<my::Gemm>(Params)", "my_nccl_like(int)",
        "void at::native::vectorized_elementwise_kernel<4>(int)", "void run<cublasLt::Tag>(int)"})
    EXPECT_EQ(library_of_kernel(name), KernelLibrary::kNone) << name;
}

}  // namespace
}  // namespace warptune::survey::analysis
