#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "profiling/kernel_runner.h"

namespace warptune::bench::vendor {

/// Gives the arguments and problem entries of a kernel instance by name. If a definition has changed, a name
/// is missing. All functions then throw `base::InputError` with the missing name and the available ones.
class Workload {
 public:
  /// Both arguments must outlive the workload and the calls made from it. References use `runner` to time
  /// alternative calls.
  Workload(const kernel_templates::KernelInstance& instance, profiling::KernelRunner& runner);

  std::size_t position(std::string_view argument) const;
  kernel_templates::DataType type(std::string_view argument) const;
  /// The name of the argument's type, for example "f32".
  std::string type_name(std::string_view argument) const;
  std::int64_t count(std::string_view argument) const;
  /// The value of a scalar argument.
  double scalar(std::string_view argument) const;
  std::int64_t size(std::string_view entry) const;
  std::string text(std::string_view entry) const;
  bool has_argument(std::string_view argument) const;
  bool has_entry(std::string_view entry) const;
  profiling::KernelRunner& runner() const { return runner_; }
  const std::string& kernel() const { return instance_.definition().name; }

 private:
  const kernel_templates::ResolvedArgument& argument(std::string_view name) const;

  const kernel_templates::KernelInstance& instance_;
  profiling::KernelRunner& runner_;
  std::vector<kernel_templates::ResolvedArgument> arguments_;
};

/// A library call for a workload.
struct Call {
  std::string name;  ///< For example `cuBLAS 13.1.0 Sgemm, pedantic math`.
  profiling::ExternalLaunch launch;
  bool same_result = true;  ///< Whether its outputs must equal those of the kernel.
};

/// Makes the library calls for a workload. The first one is compared with the goal. Throws
/// `base::MachineError` if the library is missing or fails, and `base::InputError` if it cannot compute what
/// the kernel computes.
using MakeCalls = std::vector<Call> (*)(const Workload& workload);

struct Reference {
  std::string_view name;
  MakeCalls make;
};
std::span<const Reference> references();
/// The reference with this name. Throws `base::InputError` with the known names if there is none.
const Reference& find_reference(std::string_view name);

/// Throws `base::MachineError` with the call and the library's error text if `code` is not 0.
void require_success(int code, std::string_view call, std::string_view text);

// The references. Each function is in the file of its library.
std::vector<Call> make_copy(const Workload& workload);
std::vector<Call> make_cub_transform(const Workload& workload);
std::vector<Call> make_cub_reduce(const Workload& workload);
std::vector<Call> make_cub_dot(const Workload& workload);
std::vector<Call> make_cub_scan(const Workload& workload);
std::vector<Call> make_cub_histogram(const Workload& workload);
std::vector<Call> make_cublas_sgemm(const Workload& workload);
std::vector<Call> make_cublas_batched_gemm(const Workload& workload);
std::vector<Call> make_cublas_dot(const Workload& workload);
std::vector<Call> make_cublas_geam(const Workload& workload);
std::vector<Call> make_cublaslt_gemm(const Workload& workload);
std::vector<Call> make_cublaslt_transpose(const Workload& workload);
std::vector<Call> make_cusparse_spmv(const Workload& workload);
std::vector<Call> make_cudnn_softmax(const Workload& workload);
std::vector<Call> make_cudnn_norm(const Workload& workload);
std::vector<Call> make_cudnn_convolution(const Workload& workload);

}  // namespace warptune::bench::vendor
