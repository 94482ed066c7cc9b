#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "profiling/kernel_runner.h"

namespace warptune::bench::vendor {

/// A kernel instance whose arguments and problem entries are asked for by name, so that a definition that has
/// changed is told and not misread: all throw `base::InputError` naming what is missing and what there is.
class Workload {
 public:
  /// Both must outlive the workload and the calls made of it. `runner` is there to time alternatives with.
  Workload(const kernel_templates::KernelInstance& instance, profiling::KernelRunner& runner);

  std::size_t position(std::string_view argument) const;
  kernel_templates::DataType type(std::string_view argument) const;
  /// The type's name: "f32".
  std::string type_name(std::string_view argument) const;
  std::int64_t count(std::string_view argument) const;
  /// Of a scalar argument.
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

/// One way to call a library.
struct Call {
  std::string name;  ///< `cuBLAS 13.1.0 Sgemm, pedantic math`.
  profiling::ExternalLaunch launch;
  bool same_result = true;  ///< Its outputs are to be those of the kernel.
};

/// The library's call for a workload; what is judged comes first. Throws `base::MachineError` where the
/// library is missing or refuses, `base::InputError` where it cannot do what the kernel does.
using MakeCalls = std::vector<Call> (*)(const Workload& workload);

struct Reference {
  std::string_view name;
  MakeCalls make;
};
std::span<const Reference> references();
/// Throws `base::InputError` with the names there are.
const Reference& find_reference(std::string_view name);

/// Throws `base::MachineError` saying what a library refused.
void require_success(int code, std::string_view call, std::string_view text);

// The references, a function each. In the files of their libraries.
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
