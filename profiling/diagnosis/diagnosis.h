#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gpu_description.h"
#include "model/measurement.h"
#include "search/analysis/parameter_effects.h"

namespace warptune::profiling::diagnosis {

/// What is known about one configuration, and about others of its space. It is plain data, so no GPU is
/// needed.
struct DiagnosisInput {
  model::GpuDescription gpu;
  /// The counters have CUPTI's names. `spill_bytes` comes from the compiler, where it is known.
  model::Measurement measurement;
  model::NamedValues problem;
  model::Work work;
  model::Roofs roofs;
  model::CacheState cache = model::CacheState::kCold;  ///< The state of the L2 cache before the launch.
  /// Rows of the same space, for remedies in its parameters. May be null. Must outlive the call.
  const search::analysis::ParameterEffects* effects = nullptr;
  /// Returns the resources that an unmeasured configuration would use, or std::nullopt if that is invalid or
  /// does not compile. The function may be empty. It is called only for configurations that differ from the
  /// measured one in one parameter.
  std::function<std::optional<model::ResourceUse>(const model::NamedValues&)> resources_of;
};

enum class Severity {
  kFault,  ///< Costs time that a change of the kernel would save.
  /// Less certain: the gain is small, these metrics do not determine it, or another fault is the cause.
  kHint,
  kLimit  ///< The kernel reaches a maximum of the hardware: nothing is wrong.
};
/// `fault`, `hint`, `limit`.
std::string_view to_string(Severity severity);

/// A number from which a finding follows.
struct Evidence {
  std::string metric;  ///< CUPTI's name, or one of warptune's.
  double value = 0.0;
  std::optional<double> threshold;  ///< The number that it was compared with.
  std::string text;                 ///< For people: "conflicts per access 31.0".
};

/// A change of one parameter that would help.
struct ParameterRemedy {
  std::string parameter;
  model::Value from;
  model::Value to;
  /// True if measured rows show that the change helps. False if only the resource use says so.
  bool measured = false;
  /// The time after the change over the time before it, if measured.
  std::optional<double> time_ratio;
  std::string text;  ///< For people: "PAD=1 instead of 0: conflicts per access 31.0 -> 0.0, time 0.41x".
};

struct Finding {
  std::string rule;
  Severity severity = Severity::kHint;
  std::string title;  ///< One line with its numbers.
  std::vector<Evidence> evidence;
  /// The change can save at most this share of the time, 0 to 1. It is 0 when it was not estimated.
  double gain = 0.0;
  /// How the gain was estimated.
  std::string gain_basis;
  /// The change in general terms.
  std::string remedy;
  std::vector<ParameterRemedy> parameters;
  /// The rule whose finding explains this one. Empty when there is none.
  std::string follows_from;
};

/// A rule that could not be checked, and the metrics that are missing for it.
struct UncheckedRule {
  std::string rule;
  std::vector<std::string> metrics;
};

struct Diagnosis {
  /// Faults first, then limits, then hints. Each group is ordered by gain, descending. A limit that is
  /// reached says more about the time than a hint.
  std::vector<Finding> findings;
  std::vector<UncheckedRule> unchecked;
};

/// Applies all rules to one configuration. Its measurement must have a time (measured or dropped). Otherwise
/// nothing is found.
Diagnosis diagnose(const DiagnosisInput& input);

/// Returns the counters that the rules read, each of them once. A full diagnosis needs all of them.
std::vector<std::string> diagnosis_metrics();

/// The description of a rule for people. A test compares docs/diagnosis.md with it.
struct RuleInfo {
  std::string_view id;
  std::string trigger;
  std::string_view gain;
  std::string_view source;
  std::string_view remedy;
  std::string_view limits;
};
std::vector<RuleInfo> diagnosis_rules();

/// The minimum gains of a fault and of a hint, as shares of the time.
inline constexpr double kFaultGain = 0.10;
inline constexpr double kHintGain = 0.05;

}  // namespace warptune::profiling::diagnosis
