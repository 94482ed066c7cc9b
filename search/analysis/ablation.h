#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "model/measurement.h"
#include "model/space.h"

namespace warptune::search::analysis {

/// One parameter of a step, from the path's start to its end.
struct ParameterStep {
  std::string name;
  model::Value from;
  model::Value to;
};

/// Why parameters change together in a step.
enum class Grouping {
  kAlone,         ///< They do not: it is one parameter.
  kInvalidApart,  ///< Fewer of them at a time break a constraint.
  kFailedApart,   ///< Fewer of them at a time break one or do not run.
  kSlowerApart,   ///< Each alone makes it slower, together they make it faster.
  kUnknownApart   ///< Fewer of them at a time have not been measured.
};

/// `alone`, `invalid_apart`, ...
std::string_view to_string(Grouping grouping);

struct AblationStep {
  std::vector<ParameterStep> changes;
  Grouping grouping = Grouping::kAlone;
  model::Measurement after;  ///< Where the step leads.
};

/// The path from one configuration to another by single changes, the one that gains most first (Fawcett and
/// Hoos, "Analysing differences between algorithm configurations through ablation", J. Heuristics 22, 2016).
/// Where no single change is valid and runs, or each makes it more than 2 % slower, the smallest group that
/// does better is one step. It never asks for anything that breaks a constraint.
///
/// Use: `tell` all rows known; while `next_unknown` names configurations, measure each and `tell` it, or
/// `give_up` on it; or `ask_no_more`. Copies what it keeps.
class Ablation {
 public:
  /// Throws `base::InputError` when either does not fit the space or breaks its constraints, or when more
  /// than 63 parameters differ.
  Ablation(const model::Space& space, const model::NamedValues& from, const model::NamedValues& to);

  /// Any measurement; one that is not between the two is ignored. Failed ones are avoided.
  void tell(const model::Measurement& measurement);
  /// Nobody can measure it.
  void give_up(const model::NamedValues& configuration);

  /// Nobody measures any more: from now on the path takes what was told, and `next_unknown` asks for nothing.
  void ask_no_more() { asking_ = false; }

  /// What must be known before the next step can be chosen, each once; nothing: the path has ended, at `to`
  /// unless an end itself has failed or was given up.
  std::vector<model::NamedValues> next_unknown();

  /// So far, in order.
  const std::vector<AblationStep>& steps() const { return steps_; }
  /// Where it begins; null until it is known.
  const model::Measurement* start() const;
  bool arrived() const { return at_ == all_ && start() != nullptr; }
  /// Single changes at the places of the path that are valid and of which nothing was told.
  std::size_t untold() const { return untold_; }
  /// Parameters that differ.
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
  void count_untold();
  bool choose(Choice& choice, std::vector<model::NamedValues>& needed);
  bool best_of(const std::vector<Mask>& groups, Choice& choice, std::vector<model::NamedValues>& needed);
  void take(Mask group);
  Grouping grouping_of(Mask group);

  model::Space space_;
  model::NamedValues from_;
  std::vector<ParameterStep> changes_;  // Bit i of a mask: change i was made.
  Mask all_ = 0;
  Mask at_ = 0;
  bool asking_ = true;
  std::size_t untold_ = 0;
  std::map<Mask, Node> nodes_;
  std::vector<AblationStep> steps_;
};

}  // namespace warptune::search::analysis
