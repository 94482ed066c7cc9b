#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/diagnosis/diagnosis.h"
#include "profiling/diagnosis/facts.h"

namespace warptune::profiling::diagnosis {

/// The number that a rule's remedy is to move, for remedies in the kernel's parameters.
struct Target {
  std::string_view label;  ///< For people; empty: the rule has none.
  std::optional<double> (*value)(const Facts&) = nullptr;
  bool raise = false;         ///< Higher is better.
  bool is_share = false;      ///< Shown as per cent.
  bool by_resources = false;  ///< Follows from resource use alone.
};

/// From facts of one configuration to a finding. One file each under `rules/`.
struct Rule {
  RuleInfo info;
  /// All must be known, or the rule counts as not checked.
  std::vector<std::string_view> needs;
  /// Read where they are known.
  std::vector<std::string_view> reads = {};
  /// Rules whose faults explain this one: then it is a hint.
  std::vector<std::string_view> causes = {};
  /// `rule`, `remedy` and `parameters` are filled in by `diagnose`, which also makes a fault of less than
  /// `kFaultGain` a hint and drops one of less than `kHintGain`.
  std::optional<Finding> (*check)(const Facts&) = nullptr;
  Target target = {};
};

/// All, in the order of docs/diagnosis.md.
const std::vector<Rule>& rule_table();

/// A use of 80 % and more counts as reached, below 60 % a unit is not what limits: the bounds of Nsight
/// Compute's speed-of-light section (Profiling Guide, "GPU Speed Of Light Throughput").
inline constexpr double kReached = 0.8;
inline constexpr double kNotTheLimit = 0.6;

Finding found(Severity severity, std::string title, double gain, std::string gain_basis,
              std::vector<Evidence> evidence);
/// A counter as evidence, with its catalogue title where it has one.
Evidence evidence_of(const Facts& facts, std::string_view metric,
                     std::optional<double> threshold = std::nullopt);
/// "device memory 83 % used".
std::string use_text(const UnitUse& use);
/// The busiest unit as evidence.
Evidence evidence_of(const UnitUse& use);

}  // namespace warptune::profiling::diagnosis
