#include <fmt/format.h>

#include <algorithm>

#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

constexpr const char* kByLoads = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum";
constexpr const char* kByStores = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum";
// One conflict for four necessary passes. Kernels without conflicts stay below it (docs/diagnosis.md,
// "Planted faults"), although the counter includes passes that are lost to other traffic.
constexpr double kMinConflictsPerPass = 0.25;

/// The metrics of the passes of shared loads or stores through the banks.
struct Passes {
  const char* all;        // Necessary passes, conflicts, and passes that are lost to other traffic.
  const char* conflicts;  // Conflicts and lost passes.
  const char* exact;      // Necessary passes and conflicts.
};
constexpr Passes kLoads = {metric::kSharedLoadWavefronts, kByLoads,
                           "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"};
constexpr Passes kStores = {metric::kSharedStoreWavefronts, kByStores,
                            "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum"};

// Returns the conflicts without the lost passes, if `exact` is known.
std::optional<double> exact_conflicts(const Facts& facts, const Passes& passes) {
  const std::optional<double> conflicts = facts.find(passes.conflicts);
  const std::optional<double> all = facts.find(passes.all);
  const double exact = facts.value(passes.exact);
  if (!conflicts || !all || exact <= 0.0) return conflicts;
  return std::clamp(exact - (*all - *conflicts), 0.0, *conflicts);
}

double conflicts_of(const Facts& facts) {
  double conflicts = facts.value(metric::kSharedConflicts);
  for (const Passes& passes : {kLoads, kStores}) {
    const double lost = facts.value(passes.conflicts) - exact_conflicts(facts, passes).value_or(0.0);
    conflicts -= std::max(0.0, lost);
  }
  return std::max(0.0, conflicts);
}

std::optional<Finding> check_shared_bank_conflicts(const Facts& facts) {
  const double conflicts = conflicts_of(facts);
  const double needed =
      std::max(1.0, facts.value(metric::kSharedWavefronts) - facts.value(metric::kSharedConflicts));
  if (conflicts / needed < kMinConflictsPerPass) return std::nullopt;
  std::string title =
      fmt::format("Shared memory: {:.1f} bank conflicts for each pass that is needed", conflicts / needed);
  Finding finding = found(Severity::kFault, "", facts.bounded(facts.share_of_cycles(conflicts), {Unit::kL1}),
                          "cycles of the banks' pipe that the conflicts take",
                          {{"shared_bank_conflicts_per_access", conflicts / needed, kMinConflictsPerPass,
                            fmt::format("conflicts per access {:.1f}", conflicts / needed)},
                           evidence_of(facts, metric::kSharedConflicts)});
  const std::optional<double> loads = exact_conflicts(facts, kLoads);
  const std::optional<double> stores = exact_conflicts(facts, kStores);
  if (loads && stores && *loads + *stores > 0.0) {
    const double share = *loads / (*loads + *stores);
    title += share > 0.9   ? ", by loads"
             : share < 0.1 ? ", by stores"
                           : fmt::format(", {:.0f} % by loads", share * 100.0);
    finding.evidence.push_back(evidence_of(facts, kByLoads));
    finding.evidence.push_back(evidence_of(facts, kByStores));
  }
  finding.title = std::move(title);
  return finding;
}

std::optional<double> target_of_shared_bank_conflicts(const Facts& facts) {
  const std::optional<double> conflicts = facts.find(metric::kSharedConflicts);
  const std::optional<double> wavefronts = facts.find(metric::kSharedWavefronts);
  if (!conflicts || !wavefronts) return std::nullopt;
  return *conflicts / std::max(1.0, *wavefronts - *conflicts);
}

}  // namespace

Rule shared_bank_conflicts_rule() {
  Rule rule;
  rule.info = {
      .id = "shared_bank_conflicts",
      .trigger =
          "shared-memory accesses need at least a quarter more passes through the banks than without "
          "conflicts. The additional passes take at least 5 % of the cycles",
      .gain = "conflicts / (SMs x cycles), bounded by the busiest unit outside of L1",
      .source =
          "CUDA C++ Best Practices Guide, \"Shared Memory and Memory Banks\"; Nsight Compute Profiling "
          "Guide, \"Memory Tables\"",
      .remedy =
          "Pad rows by an element (one more column), swizzle the column by the row (exclusive or), or let "
          "lanes walk along the row.",
      .limits =
          "The counter of conflicts includes passes that are lost to other traffic in the same pipe. If the "
          "passes of loads and stores alone were counted, too, the lost passes are subtracted. Those "
          "counters leave out asynchronous copies.",
  };
  rule.needs = {metric::kSharedConflicts, metric::kSharedWavefronts};
  rule.reads = {kByLoads, kByStores, kLoads.all, kLoads.exact, kStores.all, kStores.exact};
  rule.relieves = std::vector<Unit>{Unit::kL1};
  rule.check = check_shared_bank_conflicts;
  rule.target = {.label = "conflicts per access", .value = target_of_shared_bank_conflicts};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
