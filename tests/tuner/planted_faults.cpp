#include "tests/tuner/planted_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tuner/diagnosis_report.h"

namespace warptune::tuner {

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
      {"launch_bound", "launch_bound"},
      {"local_array", "local_array"},
      {"occupancy_by_block_size", "occupancy_by_block_size"},
      {"occupancy_by_blocks", "occupancy_by_blocks"},
      {"occupancy_by_registers", "occupancy_by_registers"},
      {"occupancy_by_shared_memory", "occupancy_by_shared_memory"},
      {"one_load_in_flight", "latency_bound"},
      {"partial_warp", "partial_warp"},
      {"predication", "predication"},
      {"shared_as_cache", "shared_as_cache"},
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

void expect_found(const PlantedFault& planted, const search::Recording& recording) {
  const search::analysis::TimedRows rows = search::analysis::timed_rows(recording);
  const search::analysis::ParameterEffects effects(rows);
  EXPECT_EQ(rows.size(), recording.measurements.size()) << "not all have a time";
  for (const search::Measurement& row : recording.measurements) {
    const bool has_fault = *search::find(row.configuration, "FAULT") == search::Value(std::int64_t{1});
    const profiling::Diagnosis diagnosis = profiling::diagnose(diagnosis_input(recording, row, &effects));
    std::vector<std::string> faults;
    for (const profiling::Finding& finding : diagnosis.findings) {
      if (finding.severity == profiling::Severity::kFault) faults.push_back(finding.rule);
    }
    EXPECT_THAT(diagnosis.unchecked, testing::IsEmpty());
    EXPECT_EQ(faults, has_fault ? std::vector<std::string>{planted.rule} : std::vector<std::string>{})
        << planted.kernel << " " << search::to_text(row.configuration) << "\n"
        << diagnosis_text(diagnosis);
  }
}

std::filesystem::path planted_faults_folder() {
  const char* moved = std::getenv("WARPTUNE_PROFILING_TEST_DATA");
  return std::filesystem::path(moved != nullptr ? moved : WARPTUNE_PROFILING_TEST_DATA) / "diagnosis";
}

}  // namespace warptune::tuner
