// The data of one level during the construction of a decision diagram.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/diagrams/decision_diagram.h"
#include "model/diagrams/index_range.h"
#include "model/diagrams/level_plan.h"
#include "model/diagrams/partial_values.h"
#include "model/diagrams/state_table.h"

namespace warptune::model::diagrams {

/// A level's plan, its scratch memory, and the nodes of the states that were reached after it.
struct LevelState {
  static constexpr std::size_t kStepsPerEvaluation = 8;  ///< Steps of arithmetic that cost one evaluation.

  LevelState(LevelPlan given, std::size_t condition_words);

  LevelPlan plan;
  std::uint64_t descent_cost = 0;  // In evaluations.
  std::uint64_t test_cost = 1;     // For each value that is tried, in evaluations.
  std::vector<std::uint64_t> key;
  StateTable states;
  StateTable ranges;  // For the last level: the nodes whose values are one range.
  // For each bound: the steps at which its condition holds whatever later levels choose.
  std::vector<IndexRange> always;
  std::vector<std::uint64_t> decided;  // As bits: the conditions that hold whatever later levels choose.
  std::vector<DecisionDiagram::Choice> choices;
};

/// Sets `level.key` to the values of the live nodes that undecided conditions still need.
void write_key(const PartialValues& values, LevelState& level);

}  // namespace warptune::model::diagrams
