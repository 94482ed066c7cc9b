#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/space.h"

namespace warptune::search::analysis {

/// A parameter that changes in a step. The values are those at the start and at the end of the path.
struct ParameterStep {
  std::string name;
  model::Value from;
  model::Value to;
};

/// Why parameters change together in a step.
enum class Grouping {
  kAlone,                ///< The step changes only one parameter.
  kInvalidApart,         ///< Each proper subset of the changes breaks a constraint.
  kFailedApart,          ///< Each proper subset breaks a constraint or fails.
  kSlowerApart,          ///< Some subset runs, but subsets are slower, while all changes together are faster.
  kUnmeasuredSeparately  ///< Not all subsets were measured.
};

/// The name in JSON: `alone`, `invalid_apart`, ...
std::string_view to_string(Grouping grouping);

struct AblationStep {
  std::vector<ParameterStep> changes;
  Grouping grouping = Grouping::kAlone;
  model::Measurement after;  ///< The measurement of the configuration after the step.
};

/// Finds a path from one configuration to another that changes one parameter in each step. Each step is the
/// change that gains most (Fawcett and Hoos, "Analysing differences between algorithm configurations through
/// ablation", J. Heuristics 22, 2016).
///
/// If no single change is valid and runs, or if each one is more than 2 % slower, the smallest better group
/// of changes is one step. The ablation never asks for a configuration that breaks a constraint.
///
/// Use: `tell` all known rows. While `next_unknown` returns configurations, measure and `tell` each one, or
/// `give_up` on it. Alternatively call `ask_no_more`. The object copies everything it needs.
class Ablation {
 public:
  /// Throws `base::InputError` if a configuration does not fit the space or breaks its constraints, or if
  /// more than 63 parameters differ.
  Ablation(const model::Space& space, const model::NamedValues& from, const model::NamedValues& to);

  /// Adds a measurement. It is ignored if a parameter has neither of the values at the two ends of the path.
  /// The path avoids configurations that failed.
  void tell(const model::Measurement& measurement);
  /// Marks a configuration that cannot be measured. The path avoids it.
  void give_up(const model::NamedValues& configuration);

  /// Ends the measurements: from now on the path uses only known measurements, and `next_unknown` returns
  /// nothing.
  void ask_no_more() { asking_ = false; }

  /// The configurations that must be measured before the next step can be chosen, each once. If it is empty,
  /// the path has ended. It ends at `to`, unless one of the ends failed or was given up.
  std::vector<model::NamedValues> next_unknown();

  /// The steps so far, in order.
  const std::vector<AblationStep>& steps() const { return steps_; }
  /// The measurement of the first configuration, or null while it is unknown.
  const model::Measurement* start() const;
  bool arrived() const { return at_ == all_ && start() != nullptr; }
  /// The number of valid single changes along the path that were not measured.
  std::size_t unmeasured_changes() const { return unmeasured_changes_; }
  /// The number of parameters that differ between the two configurations.
  std::size_t differing() const { return changes_.size(); }

 private:
  using Mask = std::uint64_t;
  enum class State { kUnknown, kKnown, kFailed, kInvalid, kGivenUp };
  struct Node {
    State state = State::kUnknown;
    model::Measurement measurement;
  };
  struct Choice;

  Node& node(Mask mask);
  model::NamedValues configuration_of(Mask mask) const;
  bool mask_of(const model::NamedValues& configuration, Mask& mask) const;
  std::vector<Mask> groups(std::size_t size) const;
  std::vector<Mask> known_groups(std::size_t size) const;
  void count_unmeasured();
  bool choose(Choice& choice, std::vector<model::NamedValues>& needed);
  bool best_of(const std::vector<Mask>& groups, Choice& choice, std::vector<model::NamedValues>& needed);
  void take(Mask group);
  Grouping grouping_of(Mask group);

  model::Space space_;
  model::NamedValues from_;
  std::vector<ParameterStep> changes_;  // Bit i of a mask says whether change i was made.
  Mask all_ = 0;                        // All changes.
  Mask at_ = 0;                         // The changes that were made so far.
  bool asking_ = true;
  std::size_t unmeasured_changes_ = 0;
  std::map<Mask, Node> nodes_;
  std::vector<AblationStep> steps_;
};

}  // namespace warptune::search::analysis
