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
  /// What each value belongs to, for example a row. Empty if the experiment names no labels.
  std::vector<std::string> labels;
  /// One value for each expression of the evidence; std::nullopt if a row or counter that it needs was not
  /// measured.
  std::vector<std::optional<double>> values;
};

struct JudgedClaim {
  const kernel_templates::Claim* claim = nullptr;
  LabVerdict verdict = LabVerdict::kUnknown;
  double value = 0.0;  ///< What the claim's expression gives. 0 if the verdict is unknown.
  /// The 95 % interval of `value`. It comes from resampling the time samples of the experiment's rows.
  double low = 0.0;
  double high = 0.0;
  bool is_certain = true;  ///< Both ends of the interval would get the same verdict as `value`.
  std::string because;     ///< The reason for the verdict. If it is unknown: what is missing.
  std::vector<JudgedEvidence> evidence;
};

/// A check of a counter, with the value that was measured and the one that theory gives.
struct JudgedTheory {
  const kernel_templates::TheoryRow* row = nullptr;
  std::optional<double> value;
  double expected = 0.0;
  bool within = false;  ///< The difference of `value` and `expected` is within the row's tolerance.
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

/// Judges the claims and the theory rows of an experiment by the conditions in its definition. `result` must
/// outlive the returned judgement. The same `result` gives the same judgement on every machine.
LabJudgement judge(const LabResult& result);

}  // namespace warptune::tuner::lab
