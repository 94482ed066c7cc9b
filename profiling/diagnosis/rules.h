#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/diagnosis/diagnosis.h"
#include "profiling/diagnosis/facts.h"

namespace warptune::profiling::diagnosis {

/// The number that a rule's remedy should change. A change of a kernel's parameter is proposed as a remedy if
/// it improves this number.
struct Target {
  /// The name of the number in texts. Empty if the rule has no target.
  std::string_view label;
  std::optional<double> (*value)(const Facts&) = nullptr;
  bool raise = false;         ///< Higher is better.
  bool is_share = false;      ///< Shown in per cent.
  bool by_resources = false;  ///< `value` needs only the resource use, no counters.
};

/// A rule computes a finding from the facts of one configuration. Each rule is one file under `rules/`.
struct Rule {
  RuleInfo info;
  /// Metrics, and other names of metric_names.h, that must all be known. Otherwise the rule is not checked.
  std::vector<std::string_view> needs;
  /// Metrics that are used if they are known.
  std::vector<std::string_view> reads = {};
  /// If one of these rules reports a fault, it explains the finding of this rule, which then is only a hint.
  std::vector<std::string_view> causes = {};
  /// The units that the remedy relieves. If another unit is full, a fault is only a hint. std::nullopt means
  /// that this is not checked.
  std::optional<std::vector<Unit>> relieves = {};
  /// Returns a finding, or std::nullopt. `diagnose` fills in `rule` and `parameters`, and `remedy` if it is
  /// empty. It also turns a fault with a gain below `kFaultGain` into a hint, and drops one below
  /// `kHintGain`.
  std::optional<Finding> (*check)(const Facts&) = nullptr;
  Target target = {};
};

/// Returns all rules in the order of docs/diagnosis.md.
const std::vector<Rule>& rule_table();

/// A unit that is used at least 80 % has reached its limit. A unit that is used less than 60 % is not the
/// limit. These are the bounds of Nsight Compute's speed-of-light section (Profiling Guide, "GPU Speed Of
/// Light Throughput").
inline constexpr double kReached = 0.8;
inline constexpr double kNotTheLimit = 0.6;

/// Returns a finding with these members. `gain` is the maximum share of the time, 0 to 1, that the remedy can
/// save. `gain_basis` says how the gain was estimated.
Finding found(Severity severity, std::string title, double gain, std::string gain_basis,
              std::vector<Evidence> evidence);
/// Returns a counter as evidence, with its title if the catalogue has one.
Evidence evidence_of(const Facts& facts, std::string_view metric,
                     std::optional<double> threshold = std::nullopt);
/// Returns a text such as "device memory 83 % used". For a short launch it adds the use while the GPU is
/// full.
std::string use_text(const UnitUse& use);
/// Returns the busiest unit as evidence.
Evidence evidence_of(const UnitUse& use);

}  // namespace warptune::profiling::diagnosis
