#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/expressions/formula.h"

namespace warptune::model::diagrams {

/// Computes a node when its operands are known.
struct ExactStep {
  std::uint32_t node = 0;
  expressions::Op op = expressions::Op::kLiteral;
  std::array<std::uint32_t, 3> child = {0, 0, 0};
  bool quick = false;  ///< The node and its operands are integers and cannot fail.
  /// If it is not null, the node is looked up by the index of the level's value instead of being computed.
  const std::vector<expressions::Cell>* table = nullptr;
};

/// Computes the interval of a node that later levels complete.
struct IntervalStep {
  enum class Source : std::uint8_t {
    kStatic,    ///< No variable of the operand is chosen.
    kInterval,  ///< Some variables of the operand are chosen.
    kCell       ///< All variables of the operand are chosen.
  };
  std::uint32_t node = 0;
  expressions::Op op = expressions::Op::kLiteral;
  std::array<std::uint32_t, 3> child = {0, 0, 0};
  std::array<Source, 3> from = {Source::kStatic, Source::kStatic, Source::kStatic};
};

/// A condition that contains the variable of a level.
struct LevelCheck {
  /// The range of the level's steps in which the condition can hold.
  enum class Shape : std::uint8_t {
    kAnywhere,
    kFromSomewhere,  ///< From a certain step to the end.
    kUpToSomewhere,  ///< From the beginning to a certain step.
    kEqualRising,    ///< One range: an equality whose left side minus its right side increases.
    kEqualFalling    ///< One range: an equality whose left side minus its right side decreases.
  };
  std::uint32_t condition = 0;  ///< An index into the roots.
  std::uint32_t root = 0;
  bool complete = false;  ///< The condition does not depend on later levels.
  Shape shape = Shape::kAnywhere;
  std::vector<ExactStep> exact;
  std::vector<IntervalStep> intervals;
};

/// A node whose value later levels need.
struct LiveNode {
  std::uint32_t node = 0;
  /// As bits: the conditions that contain an incomplete parent of the node.
  std::vector<std::uint64_t> users;
};

/// The work for one parameter after the earlier ones are chosen.
struct LevelPlan {
  std::uint32_t variable = 0;  ///< The node of the parameter.
  /// The indices of its values in the order in which they are tried: ascending by value if they are numbers.
  std::vector<std::uint32_t> steps;
  bool ascending = false;             ///< Whether the indices in `steps` ascend, too.
  std::vector<IntervalStep> prepare;  ///< Computed once before any value is tried.
  std::vector<LevelCheck> bounds;     ///< Checks that allow one range of steps. Each is run independently.
  std::vector<LevelCheck> tests;      ///< Other complete checks. Each may use the results of those before it.
  std::vector<ExactStep> rest;        ///< The other values of live nodes; computed after the tests.
  std::vector<LevelCheck> interval_checks;  ///< Other incomplete checks; computed after `rest`.
  std::vector<LiveNode> live;
  /// Whether several partial configurations can have the same state. Otherwise each state occurs once.
  bool merges = true;
};

/// Returns the plans for the levels of a group. `order[level]` is the parameter that a level chooses. `roots`
/// are the conditions in `formula`. The plans refer to `formula`.
std::vector<LevelPlan> plan_levels(expressions::Formula& formula, std::span<const std::uint32_t> roots,
                                   std::span<const std::uint32_t> order);

/// For each node whether it is an integer or a boolean that cannot fail, with only such operands.
std::vector<bool> quick_nodes(const expressions::Formula& formula);

}  // namespace warptune::model::diagrams
