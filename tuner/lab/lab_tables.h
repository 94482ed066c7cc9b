#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tuner/lab/lab_judgement.h"
#include "tuner/lab/lab_numbers.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::lab {

/// Texts of a table for people, whatever it is drawn with.
struct LabCells {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
};

/// A table's rows: name, time with its interval, ratio to the baseline, columns, what a profile's diagnosis
/// finds.
LabCells table_cells(const LabResult& result, const LabNumbers& numbers, std::size_t table);
/// What theory says of counters: what, counter, expected, read, deviation, verdict.
LabCells theory_cells(const LabJudgement& judgement);

/// `2.01 x (1.98 to 2.03)`; without an interval where no time is in it.
std::string claim_value_text(const JudgedClaim& claim);
/// `bytes of a sector used, %: 100, 50`.
std::string evidence_text(const JudgedEvidence& evidence);
/// `3 hold, 1 partially holds, 1 does not hold`; what there is none of is left out.
std::string verdicts_text(const LabJudgement& judgement);
/// What a table's rows have in common: kernel, problem, state of the cache.
std::string table_workload(const LabResult& result, std::size_t table);

}  // namespace warptune::tuner::lab
