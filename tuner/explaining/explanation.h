#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernel_templates/kernel_instance.h"
#include "model/recording.h"
#include "profiling/diagnosis/diagnosis.h"
#include "search/analysis/ablation.h"
#include "search/analysis/metric_changes.h"
#include "search/analysis/modelled_importance.h"
#include "search/analysis/next_steps.h"
#include "search/analysis/parameter_effects.h"
#include "tuner/explaining/traced_program.h"

namespace warptune::tuner::explaining {

/// One of several changes that were measured only together.
struct ModelledChange {
  search::analysis::ParameterStep change;
  double ratio = 1.0;  ///< Time after the change over the time before, as the model predicts.
};

/// One step of the path, with its effect.
struct ExplainedStep {
  search::analysis::AblationStep step;
  model::Measurement before;
  double ratio = 1.0;                                   ///< Time after the step over the time before.
  double share = 0.0;                                   ///< The step's part of log(whole ratio).
  bool within_noise = false;                            ///< The 95 % intervals of both times overlap.
  std::vector<search::analysis::MetricChange> metrics;  ///< Changed metrics, the most informative first.
  /// The effect of a single change on the time, over all pairs of rows in the space that differ by it.
  std::optional<search::analysis::PairedEffect> everywhere;
  /// If the step has several changes because subsets of them were not measured: the predicted effect of each
  /// change, the largest gain first. Empty if the model is not trustworthy, or if constraints forbid to
  /// change the parameters one at a time.
  std::vector<ModelledChange> modelled;
};

/// Why one configuration is faster than another, and which parameters matter.
struct Explanation {
  std::size_t rows = 0;       ///< Number of known evaluations, failed ones included.
  std::size_t timed = 0;      ///< How many of them have a time.
  std::size_t estimated = 0;  ///< How many of these were dropped, so that the time is an estimate.
  bool has_counters = false;

  std::string from_title;  ///< "default", or "start" where the user named it.
  std::string to_title;    ///< "best", or "end" where the user named it.
  std::optional<model::Measurement> from;
  std::optional<model::Measurement> to;
  std::vector<ExplainedStep> steps;
  bool arrived = false;          ///< The path reaches `to`.
  std::size_t measured_now = 0;  ///< Configurations measured for the path.
  std::size_t not_measured = 0;  ///< Possible steps without a measurement.

  std::optional<search::analysis::ModelledImportance> over_space;  ///< Over all configurations.
  std::optional<search::analysis::ModelledImportance> near_best;   ///< Over the fast ones only.
  search::analysis::NextSteps next_steps;
  std::optional<profiling::diagnosis::Diagnosis> from_diagnosis;  ///< If `from` has a time.
  std::optional<profiling::diagnosis::Diagnosis> to_diagnosis;    ///< If `to` has a time.
  /// The steps of `from` and `to`, if the definition is a host program and they could be recorded here.
  std::optional<TracedProgram> from_program;
  std::optional<TracedProgram> to_program;
  std::vector<std::string> notes;  ///< What could not be shown and why, one line for each.
};

/// Measures configurations that have no row. Returns the rows of those that it could measure, in any order.
using MeasureMissing =
    std::function<std::vector<model::Measurement>(const std::vector<model::NamedValues>& missing)>;

struct ExplanationRequest {
  model::NamedValues from;  ///< Changes to the default, or to the best if there is no default.
  model::NamedValues to;    ///< Changes to the best.
  model::NamedValues best;  ///< The best configuration; empty: the one with the minimum time.
  MeasureMissing measure;   ///< Empty: nothing is measured.
  /// Finds a known row outside of `recording` when that is only a sample; empty if `recording` has all rows.
  std::function<std::optional<model::Measurement>(const model::NamedValues&)> look_up;
  /// Compiles configurations that have no row, if a remedy needs their occupancy; may be null.
  const kernel_templates::KernelInstance* instance = nullptr;
  std::filesystem::path compile_cache;  ///< Keeps code compiled for remedies; empty: nothing is kept.
  std::uint64_t seed = 1;
};

/// Explains the difference between two configurations from the rows of `recording`. Rows that are measured
/// for the path are used by all other parts, too. Throws `base::InputError` when a named `from` or `to` is
/// not in the space. Anything else that is missing becomes a note.
Explanation explain(const model::Recording& recording, const ExplanationRequest& request);

}  // namespace warptune::tuner::explaining
