#include "tests/tuner/planted_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "tuner/explaining/diagnosis_input.h"
#include "tuner/text_output/diagnosis_report.h"

namespace warptune::tuner {

namespace {

// FAULT=0 differs by more than the fault: its loops are other code, and it hides latencies better.
constexpr double kGainTolerance = 0.1;

}  // namespace

const std::vector<PlantedFault>& planted_faults() {
  static const std::vector<PlantedFault> planted = {
      {"array_of_structs", "uncoalesced_loads"},
      {"atomics", "atomic_contention"},
      {"barrier", "barrier_stalls"},
      {"conflicting_loads", "shared_bank_conflicts"},
      {"conflicting_stores", "shared_bank_conflicts"},
      {"divergence", "divergence"},
      {"double_precision", "double_precision"},
      {"instruction_cache", "instruction_cache"},
      {"integer_division", "integer_division"},
      {"launch_bound", "launch_bound", false},
      {"local_array", "local_array"},
      {"occupancy_by_block_size", "occupancy_by_block_size"},
      {"occupancy_by_blocks", "occupancy_by_blocks"},
      {"occupancy_by_registers", "occupancy_by_registers"},
      {"occupancy_by_shared_memory", "occupancy_by_shared_memory"},
      {"one_load_in_flight", "latency_bound"},
      {"partial_warp", "partial_warp"},
      {"predication", "predication"},
      {"shared_as_cache", "shared_as_cache"},
      {"short_blocks", "short_blocks"},
      {"small_grid", "small_grid"},
      {"spill", "register_spills"},
      {"strided_load", "uncoalesced_loads"},
      {"strided_store", "uncoalesced_stores"},
      {"tail", "tail"},
      {"transcendental", "transcendental_pipe"},
      {"uneven_warps", "uneven_work"},
  };
  return planted;
}

namespace {

bool has_fault(const model::Measurement& row) {
  return *model::find(row.configuration, "FAULT") == model::Value(std::int64_t{1});
}

// Without [work], rules that need it are unchecked. No other reason is allowed.
std::vector<std::string> unchecked_for_lack_of_counters(const profiling::diagnosis::Diagnosis& diagnosis) {
  std::vector<std::string> rules;
  for (const profiling::diagnosis::UncheckedRule& rule : diagnosis.unchecked) {
    const bool lacks_counter =
        std::any_of(rule.metrics.begin(), rule.metrics.end(),
                    [](const std::string& metric) { return metric.find("[work]") == std::string::npos; });
    if (lacks_counter) rules.push_back(rule.rule);
  }
  return rules;
}

double fastest_clean_ns(const model::Recording& recording) {
  double minimum = std::numeric_limits<double>::infinity();
  for (const model::Measurement& row : recording.measurements) {
    if (!has_fault(row)) minimum = std::min(minimum, row.time->median_ns);
  }
  return minimum;
}

}  // namespace

void expect_found(const PlantedFault& planted, const model::Recording& recording) {
  const search::analysis::TimedRows rows = search::analysis::timed_rows(recording);
  const search::analysis::ParameterEffects effects(rows);
  EXPECT_EQ(rows.size(), recording.measurements.size()) << "not all have a time";
  for (const model::Measurement& row : recording.measurements) {
    const profiling::diagnosis::Diagnosis diagnosis =
        profiling::diagnosis::diagnose(explaining::diagnosis_input(recording, row, &effects));
    std::vector<std::string> faults;
    for (const profiling::diagnosis::Finding& finding : diagnosis.findings) {
      if (finding.severity == profiling::diagnosis::Severity::kFault) faults.push_back(finding.rule);
    }
    const std::string what = planted.kernel + " " + model::to_text(row.configuration) + "\n" +
                             text_output::diagnosis_text(diagnosis);
    EXPECT_THAT(unchecked_for_lack_of_counters(diagnosis), ::testing::IsEmpty()) << what;
    EXPECT_EQ(faults, has_fault(row) ? std::vector<std::string>{planted.rule} : std::vector<std::string>{})
        << what;
    if (!has_fault(row) || faults.size() != 1 || !planted.same_work) continue;
    // The measured gain of FAULT=0 must not exceed the bound on the gain.
    const double had = 1.0 - fastest_clean_ns(recording) / row.time->median_ns;
    EXPECT_LE(had, diagnosis.findings.front().gain + kGainTolerance) << what;
  }
}

std::filesystem::path planted_faults_folder() {
  const char* moved = std::getenv("WARPTUNE_PROFILING_TEST_DATA");
  return std::filesystem::path(moved != nullptr ? moved : WARPTUNE_PROFILING_TEST_DATA) / "diagnosis";
}

}  // namespace warptune::tuner
