#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/expressions/formula.h"

namespace warptune::model::diagrams {

/// Computes a node whose operands are known.
struct ExactStep {
  std::uint32_t node = 0;
  expressions::Op op = expressions::Op::kLiteral;
  std::array<std::uint32_t, 3> child = {0, 0, 0};
  bool quick = false;  ///< It and its operands are integers and cannot fail.
  const std::vector<expressions::Cell>* table =
      nullptr;  ///< By the index of the level's value; computes nothing.
};

/// Encloses a node that later levels complete.
struct IntervalStep {
  enum class Source : std::uint8_t {
    kStatic,    ///< Nothing of the operand is chosen.
    kInterval,  ///< Some is.
    kCell       ///< All is.
  };
  std::uint32_t node = 0;
  expressions::Op op = expressions::Op::kLiteral;
  std::array<std::uint32_t, 3> child = {0, 0, 0};
  std::array<Source, 3> from = {Source::kStatic, Source::kStatic, Source::kStatic};
};

/// A condition with the variable of a level.
struct LevelCheck {
  /// Where, along the level's steps, the condition can hold.
  enum class Shape : std::uint8_t {
    kAnywhere,
    kFromSomewhere,  ///< From some step on.
    kUpToSomewhere,  ///< Up to some step.
    kEqualRising,    ///< An equality whose left side rises against its right side: on a stretch.
    kEqualFalling    ///< The same with a falling left side.
  };
  std::uint32_t condition = 0;  ///< Index into the roots.
  std::uint32_t root = 0;
  bool complete = false;  ///< No later level has a part in it.
  Shape shape = Shape::kAnywhere;
  std::vector<ExactStep> exact;
  std::vector<IntervalStep> intervals;
};

/// A node that later levels need.
struct LiveNode {
  std::uint32_t node = 0;
  std::vector<std::uint64_t> users;  ///< The conditions that still need it, as bits.
};

/// What choosing one parameter after the earlier ones takes.
struct LevelPlan {
  std::uint32_t variable = 0;  ///< Its node.
  std::vector<std::uint32_t>
      steps;               ///< The indices of its values in the order to try: by number where they are.
  bool ascending = false;  ///< `steps` counts up.
  std::vector<IntervalStep> prepare;  ///< Once, before any value is tried.
  std::vector<LevelCheck> bounds;     ///< Checks that allow one stretch of the steps; each runs by itself.
  std::vector<LevelCheck> tests;      ///< The other complete ones; in order, each building on those before.
  std::vector<ExactStep> rest;        ///< After the tests: what live nodes need besides.
  std::vector<LevelCheck> interval_checks;  ///< The other incomplete ones; after `rest`.
  std::vector<LiveNode> live;
  /// Whether several ways here can leave the same state; else each state is met once.
  bool merges = true;
};

/// Plans for the levels of a group: `order[level]` is the parameter chosen, `roots` the conditions in
/// `formula`, which the plans borrow.
std::vector<LevelPlan> plan_levels(expressions::Formula& formula, std::span<const std::uint32_t> roots,
                                   std::span<const std::uint32_t> order);

/// Whether a node is an integer or a boolean that cannot fail, computed from such.
std::vector<bool> quick_nodes(const expressions::Formula& formula);

}  // namespace warptune::model::diagrams
