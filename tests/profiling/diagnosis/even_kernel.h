#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiling/counters/metrics.h"
#include "profiling/diagnosis/diagnosis.h"

namespace warptune::profiling::diagnosis {

inline std::string stalled(const std::string& reason) { return counters::stall_metric(reason); }

// Describes a kernel without findings. All numbers are known. None is near a limit, and nothing is wasted.
inline DiagnosisInput even_kernel() {
  DiagnosisInput input;
  input.gpu = model::fictional_gpu();
  input.work = {1e9, 1e8, {}};
  input.roofs.copy_bytes_per_s = 4.2e12;
  model::Measurement& row = input.measurement;
  row.status = model::Status::kMeasured;
  row.time = {100e3, 99e3, 101e3};
  row.resources.registers_per_thread = 32;
  row.resources.threads_per_block = 256;
  row.resources.blocks = 132 * 8 * 16;
  row.resources.blocks_per_sm = 8;
  row.resources.theoretical_occupancy = 1.0;
  for (const std::string& name : diagnosis_metrics()) row.counters[name] = 0.0;
  const model::Counters ordinary = {
      {"sm_clock_mhz", 1980.0},
      {"spill_bytes", 0.0},
      {"dram__bytes.sum", 1e8},
      {"smsp__issue_active.avg.pct_of_peak_sustained_active", 70.0},
      {"sm__warps_active.avg.pct_of_peak_sustained_active", 95.0},
      {"smsp__inst_executed.sum", 5e7},
      {"smsp__thread_inst_executed_per_inst_executed.ratio", 32.0},
      {"smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", 31.0},
      {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", 4.0},
      {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_st.ratio", 4.0},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct", 100.0},
      {"smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct", 100.0},
      {"sm__cycles_active.avg", 195e3},
      {"sm__cycles_active.max", 198e3},
      {"l1tex__throughput.avg.pct_of_peak_sustained_active", 40.0},
      {"lts__throughput.avg.pct_of_peak_sustained_elapsed", 30.0},
      {"sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active", 30.0},
      {stalled("long_scoreboard"), 6.0},
      {stalled("wait"), 2.0},
  };
  for (const auto& [name, value] : ordinary) row.counters[name] = value;
  // Cases set the sum of both.
  for (const char* op : {"ld", "st"})
    row.counters.erase(std::string("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_") + op + ".sum");
  return input;
}

inline std::vector<std::string> rules_of(const Diagnosis& diagnosis, Severity severity) {
  std::vector<std::string> rules;
  for (const Finding& finding : diagnosis.findings) {
    if (finding.severity == severity) rules.push_back(finding.rule);
  }
  return rules;
}

inline const Finding& finding_of(const Diagnosis& diagnosis, const std::string& rule) {
  const auto found = std::find_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                                  [&](const Finding& finding) { return finding.rule == rule; });
  if (found == diagnosis.findings.end()) throw std::runtime_error("no finding of " + rule);
  return *found;
}

inline model::Counters& counters(DiagnosisInput& input) { return input.measurement.counters; }
inline model::ResourceUse& resources(DiagnosisInput& input) { return input.measurement.resources; }

}  // namespace warptune::profiling::diagnosis
