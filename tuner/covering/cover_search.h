// Chooses which sizes and which configurations a cover measures next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/outputs/reproducibility.h"
#include "tuner/covers/size_cover.h"
#include "tuner/covers/size_range.h"
#include "tuner/session/budget.h"

namespace warptune::tuner::covering {

/// What is wanted.
struct CoverGoal {
  covers::SizeRange range;
  double limit_share = 0.05;           ///< No size may lose more than this.
  std::size_t max_configurations = 0;  ///< As `covers::CoverLimits` has it. 0: any number.
  session::Budget budget{};            ///< For all sizes that are not held back: evaluations or seconds.
  std::size_t checks = 10;             ///< How many sizes are held back.
  session::Budget check_budget{};      ///< For each of them.
  std::uint64_t seed = 1;
  /// What the outputs of all configurations of the cover must be known to be, at each measured size.
  std::optional<model::outputs::Reproducibility> reproducible{};

  covers::CoverLimits limits() const { return {limit_share, max_configurations}; }
};

/// What is measured at one size.
struct SizeTask {
  covers::ListedSize at;
  bool held_back = false;
  std::vector<model::NamedValues> named;  ///< Measured first, if they are valid for this size.
  bool searches = false;                  ///< A search follows, until the budget ends.
  session::Budget budget{};               ///< The end of a search.
};

/// What was measured at one size.
struct SizeRows {
  std::vector<covers::CoverRow> rows;  ///< All rows of the size that are known now.
  std::uint64_t evaluated = 0;         ///< New evaluations.
  bool interrupted = false;
  std::string failure{};  ///< Why this size cannot be measured; a part of a sentence.
};

/// Measures at one size: a GPU, or a model of one in a test.
using SizeMeasurer = std::function<SizeRows(const SizeTask&)>;

enum class CoverPhase { kSeeds, kFurther, kGaps, kOutputs, kChecks };

/// What has been measured so far.
struct CoverProgress {
  CoverPhase phase = CoverPhase::kSeeds;
  covers::Size size;
  std::size_t sizes = 0;  ///< Sizes that are not held back.
  std::uint64_t evaluations = 0;
  std::size_t configurations = 0;  ///< In the cover so far.
  std::optional<double> loss;      ///< What the cover's answer lost at this size, before it was measured.
};

/// A size that was held back.
struct CheckedSize {
  covers::ListedSize at;
  /// What the cover's answer loses against the best that is known there. May be infinite.
  double loss = 0.0;
  double min_loss = 0.0;  ///< What the best of all the cover's configurations loses there.
};

/// A size that could not be measured.
struct FailedSize {
  covers::Size size;
  std::string reason;
};

struct CoverOutcome {
  std::optional<covers::SizeCover> cover;  ///< No value if nothing was measured, or nothing may answer.
  std::vector<CheckedSize> checked;
  std::vector<FailedSize> failed;
  std::uint64_t evaluations = 0;        ///< At sizes that are not held back, with those of earlier runs.
  std::uint64_t check_evaluations = 0;  ///< At sizes that are held back, in this run.
  /// The last 20 sizes had an answer within the limit before they were measured, or no further size is left.
  bool settled = false;
  bool interrupted = false;
};

/// Measures until the cover is settled or the budget ends, and then checks it at sizes that are held back.
/// `table` has what earlier runs measured, in `evaluations` evaluations. What is measured now is added to it.
/// `seconds` returns the time since the start of this run. docs/cover.md describes the phases.
CoverOutcome search_cover(const CoverGoal& goal, covers::CoverTable& table, std::uint64_t evaluations,
                          const SizeMeasurer& measure, const std::function<double()>& seconds,
                          const std::function<void(const CoverProgress&)>& on_progress);

}  // namespace warptune::tuner::covering
