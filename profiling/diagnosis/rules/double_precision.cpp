#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr double kMinUse = 0.5;

// Returns how many times as many FP32 results as FP64 results an SM computes in a cycle. The source is the
// table in the CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions".
double fp32_over_fp64(const model::GpuDescription& gpu) {
  const int capability = gpu.compute_major * 10 + gpu.compute_minor;
  const bool has_half_rate = capability == 70 || capability == 80 || capability == 90 || capability == 100;
  return has_half_rate ? 2.0 : capability == 75 ? 32.0 : 64.0;
}

bool is_fp64_intended(const DiagnosisInput& input) {
  const model::NamedValues& problem = input.problem;
  return input.work.unit == model::ArithmeticUnit::kFp64 ||
         std::any_of(problem.begin(), problem.end(),
                     [](const auto& entry) { return model::to_text(entry.second) == "f64"; });
}

std::optional<Finding> check_double_precision(const Facts& facts) {
  const double use = facts.value(metric::kFp64Pipe) / 100.0;
  if (use < kMinUse ||
      facts.busiest_except({Unit::kFp64, Unit::kIssueSlots, Unit::kDeviceMemory, Unit::kL1, Unit::kL2}).use >
          use)
    return std::nullopt;
  const bool intended = is_fp64_intended(facts.input());
  const double ratio = fp32_over_fp64(facts.input().gpu);
  return found(
      intended ? Severity::kLimit : Severity::kFault,
      fmt::format("The FP64 pipe is {:.0f} % used{}", use * 100.0, intended ? "" : "; FP32 would be faster"),
      intended ? std::max(0.0, 1.0 - use)
               : facts.bounded(use * (1.0 - 1.0 / ratio), {Unit::kFp64, Unit::kIssueSlots}),
      intended ? "the distance to its peak"
               : fmt::format("the pipe's time, if FP32 is {:.0f} times as fast", ratio),
      {evidence_of(facts, metric::kFp64Pipe, kMinUse * 100.0)});
}

std::optional<double> target_of_double_precision(const Facts& facts) {
  const std::optional<double> use = facts.find(metric::kFp64Pipe);
  return use ? std::optional<double>(*use / 100.0) : std::nullopt;
}

}  // namespace

Rule double_precision_rule() {
  Rule rule;
  rule.info = {
      .id = "double_precision",
      .trigger =
          "the FP64 pipe is used at least 50 % and is the busiest pipe that computes. Neither a problem "
          "entry nor the unit of [work] says f64",
      .gain =
          "use of the FP64 pipe x (1 - 1 / how many times faster FP32 is), bounded by the busiest other unit",
      .source = "CUDA C++ Programming Guide, \"Throughput of Native Arithmetic Instructions\"",
      .remedy =
          "Use FP32 where its precision suffices: literals with f (0.5f), float functions (sqrtf), float "
          "accumulators or compensated sums.",
      .limits =
          "The needed precision is unknown. A problem entry with the value f64 says that FP64 is intended, "
          "and makes this a limit.",
  };
  rule.needs = {metric::kFp64Pipe};
  rule.check = check_double_precision;
  rule.target = {.label = "FP64 pipe used", .value = target_of_double_precision, .is_share = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
