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

/// What is known of one configuration, and of others of its space. Plain data: no GPU is needed.
struct DiagnosisInput {
  model::GpuDescription gpu;
  /// Counters by CUPTI's names; `spill_bytes`, where it is known, is the compiler's.
  model::Measurement measurement;
  model::NamedValues problem;
  model::Work work;
  model::Roofs roofs;
  /// Rows of the same space, for remedies in its parameters; may be null. Must outlive the call.
  const search::analysis::ParameterEffects* effects = nullptr;
  /// What a configuration that nobody measured would take of an SM; nothing where it is invalid or does not
  /// compile. May be empty. Asked for single changes of the configuration only.
  std::function<std::optional<model::ResourceUse>(const model::NamedValues&)> resources_of;
};

enum class Severity {
  kFault,  ///< Costs time that a change of the kernel would give back.
  kHint,   ///< May be worth a look: a small gain, one that cannot be told from these metrics, or what follows
           ///< from a fault.
  kLimit   ///< A ceiling that is reached: nothing is wrong.
};
/// `fault`, `hint`, `limit`.
std::string_view to_string(Severity severity);

/// A number that a finding rests on.
struct Evidence {
  std::string metric;  ///< CUPTI's name, or one of ours.
  double value = 0.0;
  std::optional<double> threshold;  ///< What it was compared with, where there is one.
  std::string text;                 ///< For people: "conflicts per access 31.0".
};

/// A change of one parameter that would help.
struct ParameterRemedy {
  std::string parameter;
  model::Value from;
  model::Value to;
  bool measured = false;             ///< By rows of the space; else by resource use alone.
  std::optional<double> time_ratio;  ///< Of the time after to before, where measured.
  std::string text;  ///< For people: "PAD=1 instead of 0: conflicts per access 31.0 -> 0.0, time 0.41x".
};

struct Finding {
  std::string rule;
  Severity severity = Severity::kHint;
  std::string title;  ///< One line with its numbers.
  std::vector<Evidence> evidence;
  double gain = 0.0;  ///< At most this share of the time (0..1) is to be had; 0 where it is not estimated.
  std::string gain_basis;  ///< How that was estimated.
  std::string remedy;      ///< In general words.
  std::vector<ParameterRemedy> parameters;
  std::string follows_from;  ///< The rule whose finding explains this one; empty: none.
};

/// A rule that could not be checked, and the metrics that it lacks.
struct UncheckedRule {
  std::string rule;
  std::vector<std::string> metrics;
};

struct Diagnosis {
  std::vector<Finding> findings;  ///< Faults, then hints, then limits, each by falling gain.
  std::vector<UncheckedRule> unchecked;
};

/// What one configuration's numbers say. Its measurement must have a time (measured or dropped); else nothing
/// is found.
Diagnosis diagnose(const DiagnosisInput& input);

/// Counters that the rules read, each once: to be counted for a full diagnosis.
std::vector<std::string> diagnosis_metrics();

/// A rule for people; docs/diagnosis.md is held to this.
struct RuleInfo {
  std::string_view id;
  std::string trigger;
  std::string_view gain;
  std::string_view source;
  std::string_view remedy;
  std::string_view limits;
};
std::vector<RuleInfo> diagnosis_rules();

/// The least gain that makes a finding a fault, and a hint; shares of the time.
inline constexpr double kFaultGain = 0.10;
inline constexpr double kHintGain = 0.02;

}  // namespace warptune::profiling::diagnosis
