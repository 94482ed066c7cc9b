#include "profiling/diagnosis/local_memory.h"

#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"
#include "profiling/diagnosis/rules/rule_list.h"

namespace warptune::profiling::diagnosis::rules {

namespace {

std::optional<Finding> check_local_array(const Facts& facts) {
  if (facts.value(model::own_metric::kSpillBytes) > 0.0 || local_instructions(facts) <= 0.0)
    return std::nullopt;
  const char* what = facts.has(model::own_metric::kSpillBytes)
                         ? "Arrays that are indexed at run time are in local memory"
                         : "Local memory is used: spilled registers or indexed arrays";
  return local_memory_finding(facts, what, {});
}

std::optional<double> target_of_local_array(const Facts& facts) {
  if (!facts.has(metric::kLocalLoads) || !facts.has(metric::kLocalStores)) return std::nullopt;
  return local_instructions(facts);
}

}  // namespace

Rule local_array_rule() {
  Rule rule;
  rule.info = {
      .id = "local_array",
      .trigger =
          "loads and stores of local memory are executed, and the compiler spilled nothing or its report is "
          "missing",
      .gain = "the same as for register_spills",
      .source =
          "CUDA C++ Best Practices Guide, \"Local Memory\"; Nsight Compute Profiling Guide, \"Memory "
          "Tables\"",
      .remedy =
          "Index arrays by constants (unroll the loops over them fully), so that they stay in registers. Or "
          "keep them in shared memory with one column per thread.",
      .limits = "Without the compiler's report spills count here, too.",
  };
  rule.needs = {metric::kLocalLoads, metric::kLocalStores, metric::kInstructions};
  rule.reads = local_memory_reads({model::own_metric::kSpillBytes});
  rule.check = check_local_array;
  rule.target = {.label = "local loads and stores", .value = target_of_local_array};
  return rule;
}

}  // namespace warptune::profiling::diagnosis::rules
