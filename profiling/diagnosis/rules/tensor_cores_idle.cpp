#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr double kMinFmaUse = 0.5;
// As many as a matrix product has. From 10 to 20 operations per byte on, FP32 arithmetic limits data-centre
// GPUs.
constexpr double kMinOperationsPerByte = 50.0;

std::optional<Finding> check_tensor_cores_idle(const Facts& facts) {
  const double intensity = facts.input().work.flops / facts.input().work.bytes;
  const double fma = facts.value(metric::kFmaPipe) / 100.0;
  if (facts.value(metric::kTensorPipe) > 0.0 || fma < kMinFmaUse || intensity < kMinOperationsPerByte)
    return std::nullopt;
  return found(
      Severity::kHint,
      fmt::format("The tensor cores are idle in a kernel with {:.0f} operations per byte", intensity), 0.0,
      "not estimated",
      {evidence_of(facts, metric::kFmaPipe, kMinFmaUse * 100.0),
       {"flops_per_byte", intensity, kMinOperationsPerByte,
        fmt::format("{:.0f} operations per byte", intensity)}});
}

}  // namespace

Rule tensor_cores_idle_rule() {
  Rule rule;
  rule.info = {
      .id = "tensor_cores_idle",
      .trigger =
          "[work] has at least 50 operations per byte, the FMA pipe is used at least 50 %, and the tensor "
          "cores are idle",
      .gain = "not estimated",
      .source = "CUDA C++ Programming Guide, \"Warp Matrix Functions\"",
      .remedy =
          "If the kernel multiplies matrices, use tensor cores (mma, wgmma, cuBLAS) in TF32, BF16 or FP16, "
          "where the precision suffices.",
      .limits = "Many operations per byte suggest a matrix product, but do not prove it.",
  };
  rule.needs = {metric::kTensorPipe, metric::kFmaPipe, metric::kFlops, metric::kMinBytes};
  rule.check = check_tensor_cores_idle;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
