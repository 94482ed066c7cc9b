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

namespace warptune::tuner::explaining {

/// A single change of several that were measured only together.
struct ModelledChange {
  search::analysis::ParameterStep change;
  double ratio = 1.0;  ///< Time after over before, by the model.
};

/// One step of the path, with what it did.
struct ExplainedStep {
  search::analysis::AblationStep step;
  model::Measurement before;
  double ratio = 1.0;  ///< Time after over before.
  double share = 0.0;  ///< Of the logarithm of the whole path's ratio; negative where it made it slower.
  bool within_noise = false;                            ///< The 95 % intervals of both times overlap.
  std::vector<search::analysis::MetricChange> metrics;  ///< That moved, the most telling first.
  /// Of a single change: on the time over all pairs of rows, elsewhere in the space, too.
  std::optional<search::analysis::PairedEffect> everywhere;
  /// Of changes between which nothing was measured: each by the model, the one that gains most first. Empty
  /// where constraints allow no such order.
  std::vector<ModelledChange> modelled;
};

/// Why one configuration is faster than another, and which parameters matter.
struct Explanation {
  std::size_t rows = 0;       ///< Evaluations known, failed ones included.
  std::size_t timed = 0;      ///< Of them, those with a time.
  std::size_t estimated = 0;  ///< Of these, dropped ones, whose time is an estimate.
  bool has_counters = false;

  std::string from_title;  ///< "default", or "start" where the person named it.
  std::string to_title;    ///< "best", or "end".
  std::optional<model::Measurement> from;
  std::optional<model::Measurement> to;
  std::vector<ExplainedStep> steps;
  bool arrived = false;          ///< The path reaches `to`.
  std::size_t measured_now = 0;  ///< Configurations measured for the path.
  std::size_t not_measured = 0;  ///< That would have counted but nobody measured.

  std::optional<search::analysis::ModelledImportance> over_space;
  std::optional<search::analysis::ModelledImportance> near_best;
  search::analysis::NextSteps next_steps;
  std::optional<profiling::diagnosis::Diagnosis> from_diagnosis;  ///< Where it has a time, as of `to`.
  std::optional<profiling::diagnosis::Diagnosis> to_diagnosis;
  std::vector<std::string> notes;  ///< What could not be shown and why, a line each.
};

/// Measures configurations that nobody has; gives what it could, in any order, or nothing.
using MeasureMissing =
    std::function<std::vector<model::Measurement>(const std::vector<model::NamedValues>& missing)>;

struct ExplanationRequest {
  model::NamedValues from;  ///< Values that replace those of the default, or of the best where there is none.
  model::NamedValues to;    ///< Values that replace those of the best.
  model::NamedValues best;  ///< Which counts as the best; empty: the one with the least time.
  MeasureMissing measure;   ///< Empty: only what is known.
  /// A row that is known but none of `recording`'s, which is a sample; empty: `recording` has all.
  std::function<std::optional<model::Measurement>(const model::NamedValues&)> look_up;
  /// Compiles what remedies need to know of configurations that nobody measured; may be null.
  const kernel_templates::KernelInstance* instance = nullptr;
  std::filesystem::path compile_cache;  ///< Where what is compiled for remedies is kept; empty: nowhere.
  std::uint64_t seed = 1;
};

/// Explains what `recording` knows. What was measured meanwhile takes part in the rest. Throws
/// `base::InputError` where `from` or `to` was named and is none of the space; all else that is missing
/// becomes a note.
Explanation explain(const model::Recording& recording, const ExplanationRequest& request);

}  // namespace warptune::tuner::explaining
