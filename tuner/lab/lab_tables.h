#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/lab/lab_judgement.h"
#include "tuner/lab/lab_numbers.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::lab {

/// The texts of a table for people, for a terminal or for Markdown.
struct LabTable {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
};

/// The rows of a table: name, time with its interval, ratio to the baseline, the table's columns, and the
/// faults that diagnosis finds.
LabTable table_cells(const LabResult& result, const LabNumbers& numbers, std::size_t table);
/// Counters compared with theory. The columns are what is counted, the counter, the expected value, the value
/// that was read, the deviation, the tolerance and the verdict.
LabTable theory_cells(const LabJudgement& judgement);

/// The value of a claim: `2.01 x (95 % interval: 1.98 to 2.03)`. It has no interval if it does not depend on
/// a time.
std::string claim_value_text(const JudgedClaim& claim);
/// Evidence with its values: `bytes of a sector used, %: 100 (stride 1), 50 (stride 2)`.
std::string evidence_text(const JudgedEvidence& evidence);
/// The number of claims with each verdict: `3 hold, 1 partially holds, 1 does not hold`. Zeros are left out.
std::string verdicts_text(const LabJudgement& judgement);
/// The kernels, problems and cache state of a table.
std::string table_workload(const LabResult& result, std::size_t table);

}  // namespace warptune::tuner::lab
