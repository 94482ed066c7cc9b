// Kernels' names for people.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace warptune::survey::analysis {

/// A kernel's demangled name, as short as necessary. The parameters and the return type are always left out.
/// If the rest is longer than `most` bytes, the innermost template arguments become `...`, then those around
/// them, from the right, and then the namespaces go. The result may still be longer than `most`: `void
/// at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int, float)` becomes
/// `at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<...>>` and then
/// `at::native::vectorized_elementwise_kernel<...>`.
std::string short_kernel_name(std::string_view name, std::size_t most);

}  // namespace warptune::survey::analysis
