#include "profiling/counters/derived_metrics.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "base/text.h"
#include "profiling/counters/metrics.h"

namespace warptune::profiling::counters {

namespace {

using Inputs = std::span<const double>;

struct DerivedMetric {
  std::string name;
  std::vector<std::string> inputs;
  double (*compute)(Inputs inputs);
  bool only_as_by_product = false;     ///< Computed only if its inputs are read anyway.
  std::vector<std::string> more = {};  ///< Further inputs, which not every chip has.
};

double ratio(double above, double below) { return below > 0.0 ? above / below : 0.0; }

double sum(Inputs inputs) { return std::accumulate(inputs.begin(), inputs.end(), 0.0); }

/// From bank conflicts and wavefronts. A wavefront is one pass of an access through the banks. Each conflict
/// takes one wavefront more, so wavefronts minus conflicts are the wavefronts that would suffice.
double conflicts_per_access(Inputs inputs) { return ratio(inputs[0], inputs[1] - inputs[0]); }

/// The same from the counters of loads and stores: conflicts of both, then wavefronts of both. It is more
/// exact, because the counter of all wavefronts also contains other accesses to the banks.
double conflicts_per_load_or_store(Inputs inputs) {
  const double conflicts = inputs[0] + inputs[1];
  return ratio(conflicts, inputs[2] + inputs[3] - conflicts);
}

double ratio_of_inputs(Inputs inputs) { return ratio(inputs[0], inputs[1]); }

/// From additions, multiplications and fused multiply-adds. A multiply-add counts as two operations.
double operations(Inputs inputs) { return inputs[0] + inputs[1] + 2.0 * inputs[2]; }

/// The same for instructions that work on two numbers.
double paired_operations(Inputs inputs) { return 2.0 * operations(inputs); }

/// The largest use of a pipe or of the issue slots, in percent of the whole launch. The first input is the
/// use of the issue slots in percent of the whole launch. All others are in percent of an SM's active cycles,
/// and the second is again that of the issue slots. So the ratio of the first two converts the others.
double busiest_of_launch(Inputs inputs) {
  const double active = ratio(inputs[0], inputs[1]);
  return active * *std::max_element(inputs.begin() + 1, inputs.end());
}

/// The cycles that warps stall for reasons without a metric of their own, per issued instruction. The inputs
/// are resident warps for each cycle, the percentage of cycles with an issue, and the cycles stalled for each
/// other reason per issued instruction. One more cycle is subtracted: that of the issue itself.
double stalled_otherwise(Inputs inputs) {
  const double warps_per_issue = ratio(inputs[0], inputs[1] / 100.0);
  return std::max(0.0, warps_per_issue - 1.0 - sum(inputs.subspan(2)));
}

std::string executed(const std::string& operation) {
  return "smsp__sass_thread_inst_executed_op_" + operation + "_pred_on.sum";
}

constexpr const char* kIssueActive = "smsp__issue_active.avg.pct_of_peak_sustained_active";

std::vector<DerivedMetric> make_table() {
  const std::string conflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared";
  const std::string wavefronts = "l1tex__data_pipe_lsu_wavefronts_mem_shared";
  const std::string global = "_pipe_lsu_mem_global_op_";
  return {
      {conflicts + ".sum", {conflicts + "_op_ld.sum", conflicts + "_op_st.sum"}, sum, true},
      {"shared_bank_conflicts_per_access",
       {conflicts + "_op_ld.sum", conflicts + "_op_st.sum", wavefronts + "_op_ld.sum",
        wavefronts + "_op_st.sum"},
       conflicts_per_load_or_store,
       true},
      {"shared_bank_conflicts_per_access", {conflicts + ".sum", wavefronts + ".sum"}, conflicts_per_access},
      {"l1tex__average_t_sectors_per_request" + global + "ld.ratio",
       {"l1tex__t_sectors" + global + "ld.sum", "l1tex__t_requests" + global + "ld.sum"},
       ratio_of_inputs},
      {"l1tex__average_t_sectors_per_request" + global + "st.ratio",
       {"l1tex__t_sectors" + global + "st.sum", "l1tex__t_requests" + global + "st.sum"},
       ratio_of_inputs},
      {"fp32_operations", {executed("fadd"), executed("fmul"), executed("ffma")}, operations},
      {"fp64_operations", {executed("dadd"), executed("dmul"), executed("dfma")}, operations},
      {"fp16_operations", {executed("hadd"), executed("hmul"), executed("hfma")}, paired_operations},
      {"compute_throughput_pct",
       {"sm__inst_issued.avg.pct_of_peak_sustained_elapsed", kIssueActive,
        "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active",
        "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active",
        "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"},
       busiest_of_launch},
      {"stalled_otherwise",
       {"smsp__warps_active.avg.per_cycle_active", kIssueActive, stall_metric("long_scoreboard"),
        stall_metric("short_scoreboard"), stall_metric("barrier"), stall_metric("membar"),
        stall_metric("lg_throttle"), stall_metric("mio_throttle"), stall_metric("math_pipe_throttle"),
        stall_metric("wait"), stall_metric("no_instruction"), stall_metric("branch_resolving"),
        stall_metric("drain"), stall_metric("not_selected")},
       stalled_otherwise,
       false,
       {stall_metric("gmma"), stall_metric("imc_miss")}},
  };
}

const std::vector<DerivedMetric>& table() {
  static const std::vector<DerivedMetric> kTable = make_table();
  return kTable;
}

// Returns the derived metric with this name, or null for a counter.
const DerivedMetric* find_derived(const std::string& name) {
  const auto row = std::find_if(table().begin(), table().end(), [&](const DerivedMetric& derived) {
    return derived.name == name && !derived.only_as_by_product;
  });
  return row == table().end() ? nullptr : &*row;
}

}  // namespace

std::vector<std::string> expand_derived_metrics(const std::vector<std::string>& metrics) {
  std::vector<std::string> expanded;
  const auto add = [&](const std::string& name) {
    if (!base::contains(expanded, name)) expanded.push_back(name);
  };
  // A metric that is computed from inputs that are read for other metrics anyway adds no inputs.
  const auto is_by_product = [&](const std::string& name) {
    return std::any_of(table().begin(), table().end(), [&](const DerivedMetric& derived) {
      return derived.name == name && derived.only_as_by_product &&
             std::all_of(derived.inputs.begin(), derived.inputs.end(),
                         [&](const std::string& input) { return base::contains(metrics, input); });
    });
  };
  for (const std::string& metric : metrics) {
    const DerivedMetric* derived = find_derived(metric);
    if (derived == nullptr) {
      add(metric);
    } else if (!is_by_product(metric)) {
      for (const std::string& input : derived->inputs) add(input);
      for (const std::string& input : derived->more) add(input);
    }
  }
  return expanded;
}

void add_derived_metrics(model::Counters& counters) {
  for (const DerivedMetric& derived : table()) {
    if (counters.contains(derived.name)) continue;
    std::vector<double> values;
    values.reserve(derived.inputs.size() + derived.more.size());
    const auto take = [&](const std::string& input) {
      const auto found = counters.find(input);
      if (found != counters.end()) values.push_back(found->second);
    };
    for (const std::string& input : derived.inputs) take(input);
    if (values.size() < derived.inputs.size()) continue;
    for (const std::string& input : derived.more) take(input);
    counters[derived.name] = derived.compute(values);
  }
}

}  // namespace warptune::profiling::counters
