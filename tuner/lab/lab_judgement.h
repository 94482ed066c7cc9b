#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/lab/lab_numbers.h"
#include "tuner/lab/lab_result.h"

namespace warptune::tuner::lab {

enum class LabVerdict {
  kHolds,
  kPartial,
  kFails,
  kUnknown  ///< A row that the claim needs was not measured on this GPU.
};
/// `holds`, `partially holds`, `does not hold on this GPU`, `undetermined`.
std::string_view to_string(LabVerdict verdict);

struct JudgedEvidence {
  std::string text;
  std::vector<std::optional<double>> values;  ///< Without a value: not measured.
};

struct JudgedClaim {
  const kernel_templates::Claim* claim = nullptr;
  LabVerdict verdict = LabVerdict::kUnknown;
  double value = 0.0;
  double low = 0.0;  ///< 95 % interval of the value, from the rows' time samples.
  double high = 0.0;
  bool is_certain = true;  ///< The whole interval gives the same verdict.
  std::string because;     ///< The reason of the verdict; for an unknown one, what is missing.
  std::vector<JudgedEvidence> evidence;
};

struct JudgedTheory {
  const kernel_templates::TheoryRow* row = nullptr;
  std::optional<double> value;
  double expected = 0.0;
  bool within = false;
  std::string problem;  ///< Why there is no value.
};

struct LabJudgement {
  std::vector<JudgedClaim> claims;
  std::vector<JudgedTheory> theory;

  std::size_t count(LabVerdict verdict) const;
  /// How many theory rows have a value, and how many of these are within their tolerance.
  std::size_t theory_measured() const;
  std::size_t theory_within() const;
};

/// Judges an experiment by the conditions in its file. The result must outlive the returned judgement. The
/// same result gives the same judgement on every machine.
LabJudgement judge(const LabResult& result);

}  // namespace warptune::tuner::lab
