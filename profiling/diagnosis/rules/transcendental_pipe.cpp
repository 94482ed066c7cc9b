#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

// If issue slots are used nearly as much as the pipe, there are too few left for the instructions of
// polynomials.
constexpr double kMaxIssuedPerPipeUse = 0.9;

std::optional<Finding> check_transcendental_pipe(const Facts& facts) {
  const double use = facts.value(metric::kXuPipe) / 100.0;
  if (use < kNotTheLimit || facts.busiest_except({Unit::kXu}).use > use) return std::nullopt;
  // The remedy replaces special functions by polynomials on the FMA pipe, which need more issue slots.
  const double issued = facts.unit(Unit::kIssueSlots).value_or(UnitUse{}).steady;
  if (issued >= std::min(kReached, kMaxIssuedPerPipeUse * use)) return std::nullopt;
  return found(Severity::kFault, fmt::format("The special function pipe is {:.0f} % used", use * 100.0),
               facts.bounded(use, {Unit::kXu, Unit::kIssueSlots, Unit::kAlu}),
               "assumes that the FMA pipe or memory could be full",
               {evidence_of(facts, metric::kXuPipe, kNotTheLimit * 100.0),
                evidence_of(facts.busiest_except({Unit::kXu}))});
}

std::optional<double> target_of_transcendental_pipe(const Facts& facts) {
  const std::optional<double> use = facts.find(metric::kXuPipe);
  return use ? std::optional<double>(*use / 100.0) : std::nullopt;
}

}  // namespace

Rule transcendental_pipe_rule() {
  Rule rule;
  rule.info = {
      .id = "transcendental_pipe",
      .trigger =
          "the special function pipe is the busiest unit and used at least 60 %. Issue slots are used less "
          "than 80 %, and less than nine tenths as much as this pipe",
      .gain =
          "use of the special function pipe, bounded by the busiest other unit. Issue slots and the integer "
          "pipe do not count, because they prepare its arguments",
      .source =
          "CUDA C++ Programming Guide, \"Throughput of Native Arithmetic Instructions\"; CUDA C++ Best "
          "Practices Guide, \"Arithmetic Instructions\"",
      .remedy =
          "Use fewer special functions: recurrences and polynomials on the FMA pipe, exp2f instead of expf, "
          "one reciprocal for several divisions, tables.",
      .limits = "Conversions between types use the same pipe.",
  };
  rule.needs = {metric::kXuPipe};
  rule.causes = {"integer_division"};
  rule.check = check_transcendental_pipe;
  rule.target = {
      .label = "special function pipe used", .value = target_of_transcendental_pipe, .is_share = true};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
