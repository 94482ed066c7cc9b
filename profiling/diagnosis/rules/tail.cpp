#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

// With more, a whole empty wave is below what counts as a fault anyway (1 / 9).
constexpr double kManyWaves = 8.0;

std::optional<Finding> check(const Facts& facts) {
  const std::optional<double> known = facts.waves();
  if (!known || *known <= 1.0 || *known > kManyWaves) return std::nullopt;
  const double waves = *known;
  const double quantised = 1.0 - waves / std::ceil(waves);
  const double maximum = facts.value(metric::kSmCyclesActiveMax);
  const bool seen = facts.has(metric::kSmCyclesActive) && maximum > 0.0;
  const double idle = seen ? 1.0 - facts.value(metric::kSmCyclesActive) / maximum : quantised;
  Finding finding = found(seen ? Severity::kFault : Severity::kHint,
                          fmt::format("{:.2f} waves of blocks: the last leaves SMs idle", waves),
                          facts.bounded(std::min(quantised, idle), kComputeUnits),
                          "empty places of the last wave, at most the idle cycles seen",
                          {{"waves", waves, std::nullopt, fmt::format("{:.2f} waves", waves)}});
  if (seen)
    finding.evidence.push_back({"sm_idle_share", idle, std::nullopt,
                                fmt::format("SMs idle {:.0f} % of the longest one's time", idle * 100.0)});
  return finding;
}

std::optional<double> target(const Facts& facts) {
  const std::optional<double> waves = facts.waves();
  return waves > 0.0 ? std::optional<double>(1.0 - *waves / std::ceil(*waves)) : std::nullopt;
}

}  // namespace

Rule tail_rule() {
  Rule rule;
  rule.info = {"tail",
               "one to eight waves of blocks, the last of them partly empty, and SMs idle meanwhile",
               "the smaller of 1 - waves / whole waves and the idle share of SM cycles (1 - mean / most "
               "cycles active); without that counter a hint",
               "Nsight Compute Profiling Guide, \"Launch Statistics\" (waves); CUDA C++ Best Practices "
               "Guide, \"Thread and Block Heuristics\"",
               "A grid that is a multiple of the blocks resident at once (as many blocks as fit, looping "
               "over the work), or smaller blocks, so that the last wave costs less.",
               "Blocks of unequal length have no waves."};
  rule.needs = {metric::kLaunch};
  rule.reads = {metric::kSmCyclesActive, metric::kSmCyclesActiveMax};
  rule.check = check;
  rule.target = {"waves short of whole ones", target, false, true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
