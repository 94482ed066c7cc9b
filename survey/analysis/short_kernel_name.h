// Kernels' names for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warptune::survey::analysis {

/// A kernel's demangled name, as short as necessary. The parameters and the return type are always left out.
/// If the rest is longer than `most` bytes, the namespaces go. Then brackets within the template arguments
/// become `<...>` or `(...)`, the innermost first and from the right. At last, the end of the arguments is
/// cut off. The result is longer than `most` only if the name without arguments is. `void
/// at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int, float)` becomes
/// `vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>`, then `vectorized_elementwise_kernel<4,
/// CUDAFunctor_add<...>>`, and then `vectorized_elementwise_kernel<4, CUDA...>`.
std::string short_kernel_name(std::string_view name, std::size_t most);

}  // namespace warptune::survey::analysis
