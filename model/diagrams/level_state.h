// What is remembered of one level while a decision diagram is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/diagrams/decision_diagram.h"
#include "model/diagrams/level_plan.h"
#include "model/diagrams/partial_values.h"
#include "model/diagrams/state_table.h"
#include "model/diagrams/stretch.h"

namespace warptune::model::diagrams {

/// A level's plan with its scratch, and the nodes of the states that were met behind it.
struct LevelState {
  static constexpr std::size_t kStepsPerEvaluation = 8;  ///< By which steps of arithmetic are charged.

  LevelState(LevelPlan given, std::size_t condition_words);

  LevelPlan plan;
  std::uint64_t descent_cost = 0;  // In evaluations.
  std::vector<std::uint64_t> key;
  StateTable states;
  StateTable stretches;                // Of the last level: nodes that are one stretch.
  std::vector<Stretch> always;         // By bound: where an incomplete condition holds whatever follows.
  std::vector<std::uint64_t> decided;  // Conditions that hold whatever follows, as bits.
  std::vector<DecisionDiagram::Choice> choices;
};

/// Sets `level.key` to what the levels up to this one leave of the conditions that are undecided.
void write_key(const PartialValues& values, LevelState& level);

}  // namespace warptune::model::diagrams
