#include <fmt/format.h>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr double kMuch = 0.5;
// Far beyond the ridge point of FP32 on data-centre GPUs (10 to 20 operations a byte).
constexpr double kMatrixLike = 50.0;

std::optional<Finding> check(const Facts& facts) {
  const double intensity = facts.input().work.flops / facts.input().work.bytes;
  const double fma = facts.value(metric::kFmaPipe) / 100.0;
  if (facts.value(metric::kTensorPipe) > 0.0 || fma < kMuch || intensity < kMatrixLike) return std::nullopt;
  return found(
      Severity::kHint,
      fmt::format("The tensor cores are idle in a kernel of {:.0f} operations a byte", intensity), 0.0,
      "not estimated",
      {evidence_of(facts, metric::kFmaPipe, kMuch * 100.0),
       {"flops_per_byte", intensity, kMatrixLike, fmt::format("{:.0f} operations a byte", intensity)}});
}

}  // namespace

Rule tensor_cores_idle_rule() {
  Rule rule;
  rule.info = {"tensor_cores_idle",
               "a kernel with at least 50 operations a byte of [work] that keeps the FMA pipe at least 50 % "
               "busy and the tensor cores idle",
               "not estimated",
               "CUDA C++ Programming Guide, \"Warp Matrix Functions\"",
               "If it multiplies matrices: tensor cores (mma, wgmma, cuBLAS), in TF32, BF16 or FP16 where "
               "the precision does.",
               "Operations a byte say that it may be a matrix product, not that it is one."};
  rule.needs = {metric::kTensorPipe, metric::kFmaPipe, metric::kFlops, metric::kMinBytes};
  rule.check = check;
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
