#include "bench/vendor/reference.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "kernel_templates/data_type.h"
#include "kernel_templates/resolution/sized_arguments.h"
#include "profiling/driver/cuda_driver.h"

namespace warptune::bench::vendor {

Workload::Workload(const kernel_templates::KernelInstance& instance, profiling::KernelRunner& runner)
    : instance_(instance),
      runner_(runner),
      arguments_(kernel_templates::resolution::sized_arguments(instance)) {}

bool Workload::has_argument(std::string_view name) const {
  return std::any_of(arguments_.begin(), arguments_.end(),
                     [&](const auto& argument) { return argument.name == name; });
}

std::size_t Workload::position(std::string_view name) const {
  std::string known;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    if (arguments_[i].name == name) return i;
    known += " " + arguments_[i].name;
  }
  throw base::InputError(
      fmt::format("the reference needs an argument \"{}\" of {}, which has{}", name, kernel(), known));
}

const kernel_templates::ResolvedArgument& Workload::argument(std::string_view name) const {
  return arguments_[position(name)];
}

kernel_templates::DataType Workload::type(std::string_view name) const { return argument(name).type; }

std::string Workload::type_name(std::string_view name) const {
  return std::string(kernel_templates::info(type(name)).name);
}

std::int64_t Workload::count(std::string_view name) const { return argument(name).count; }

double Workload::scalar(std::string_view name) const {
  const auto number = model::to_number(argument(name).scalar);
  if (argument(name).kind != kernel_templates::ArgumentKind::kScalar || !number)
    throw base::InputError(fmt::format("argument \"{}\" of {} is not a scalar", name, kernel()));
  return *number;
}

bool Workload::has_entry(std::string_view entry) const {
  return model::find(instance_.problem(), entry) != nullptr;
}

std::int64_t Workload::size(std::string_view entry) const {
  const model::Value* value = model::find(instance_.problem(), entry);
  if (value == nullptr || model::type_of(*value) != model::ValueType::kInteger) {
    throw base::InputError(fmt::format("the reference needs an integer problem entry {} of {}, which has {}",
                                       entry, kernel(), model::to_text(instance_.problem())));
  }
  return std::get<std::int64_t>(*value);
}

std::string Workload::text(std::string_view entry) const {
  const model::Value* value = model::find(instance_.problem(), entry);
  if (value == nullptr || model::type_of(*value) != model::ValueType::kText) {
    throw base::InputError(fmt::format("the reference needs a text problem entry {} of {}, which has {}",
                                       entry, kernel(), model::to_text(instance_.problem())));
  }
  return std::get<std::string>(*value);
}

void require_success(int code, std::string_view call, std::string_view text) {
  if (code != 0) throw base::MachineError(fmt::format("{}: {} ({})", call, text, code), "");
}

std::vector<Call> make_copy(const Workload& workload) {
  const std::string in = workload.has_argument("in") ? "in" : "a";
  const std::string out = workload.has_argument("out") ? "out" : "c";
  const std::size_t from = workload.position(in);
  const std::size_t to = workload.position(out);
  const auto bytes =
      static_cast<std::size_t>(workload.count(in)) * kernel_templates::info(workload.type(in)).size_bytes;
  if (workload.count(in) != workload.count(out)) throw base::InputError("input and output differ in size");
  Call call;
  call.name = "cuMemcpyDtoDAsync";
  call.same_result = workload.has_entry("operation") && workload.text("operation") == "copy";
  call.launch.launch = [=](void* stream, const std::vector<std::uint64_t>& buffers) {
    using profiling::driver::cuda;
    WARPTUNE_CUDA(cuMemcpyDtoDAsync(buffers[to], buffers[from], bytes, static_cast<CUstream>(stream)));
  };
  return {call};
}

std::span<const Reference> references() {
  static constexpr std::array kReferences = {
      Reference{"copy", make_copy},
      Reference{"cub_transform", make_cub_transform},
      Reference{"cub_reduce", make_cub_reduce},
      Reference{"cub_dot", make_cub_dot},
      Reference{"cub_scan", make_cub_scan},
      Reference{"cub_histogram", make_cub_histogram},
      Reference{"cublas_sgemm", make_cublas_sgemm},
      Reference{"cublas_batched_gemm", make_cublas_batched_gemm},
      Reference{"cublas_dot", make_cublas_dot},
      Reference{"cublas_geam", make_cublas_geam},
      Reference{"cublaslt_gemm", make_cublaslt_gemm},
      Reference{"cublaslt_transpose", make_cublaslt_transpose},
      Reference{"cusparse_spmv", make_cusparse_spmv},
      Reference{"cudnn_softmax", make_cudnn_softmax},
      Reference{"cudnn_norm", make_cudnn_norm},
      Reference{"cudnn_convolution", make_cudnn_convolution},
  };
  return kReferences;
}

const Reference& find_reference(std::string_view name) {
  std::string known;
  for (const Reference& reference : references()) {
    if (reference.name == name) return reference;
    known += fmt::format(" {}", reference.name);
  }
  throw base::InputError(fmt::format("there is no vendor reference {}; there are{}", name, known));
}

}  // namespace warptune::bench::vendor
