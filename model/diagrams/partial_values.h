// The values of a group's conditions under the choices made so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/diagrams/index_range.h"
#include "model/diagrams/level_plan.h"
#include "model/expressions/formula.h"
#include "model/expressions/operators.h"
#include "model/expressions/quick_apply.h"

namespace warptune::model::diagrams {

/// Holds the value of each node that the chosen levels complete, and an interval for each other node.
/// Millions of steps are tried, so the functions that run for each step are inline.
class PartialValues {
 public:
  /// Keeps a reference to `formula`.
  explicit PartialValues(const expressions::Formula& formula) : formula_(formula) {}
  /// Starts without any choice. It must be called after all nodes were added to the formula.
  void start();

  const expressions::Cell& cell(std::uint32_t node) const { return cells_[node]; }
  const expressions::Interval& interval(std::uint32_t node) const { return intervals_[node]; }

  /// Chooses a value of a level.
  void choose(const LevelPlan& plan, std::uint32_t step) {
    value_ = plan.steps[step];
    cells_[plan.variable] = formula_.table(formula_.node(plan.variable))[value_];
  }

  void run_exact(const std::vector<ExactStep>& steps) {
    for (const ExactStep& step : steps) {
      const expressions::Cell& a = cells_[step.child[0]];
      const expressions::Cell& b = cells_[step.child[1]];
      const expressions::Cell& c = cells_[step.child[2]];
      if (step.table != nullptr) {
        cells_[step.node] = (*step.table)[value_];
      } else if (step.quick) {
        cells_[step.node].integer = expressions::apply_quick(step.op, a.integer, b.integer, c.integer);
      } else {
        cells_[step.node] = expressions::apply(step.op, a, b, c);
      }
    }
  }

  void run_intervals(const std::vector<IntervalStep>& steps) {
    for (const IntervalStep& step : steps) {
      const auto operand = [&](std::size_t c) {
        if (step.from[c] == IntervalStep::Source::kCell)
          return expressions::Interval::of(cells_[step.child[c]]);
        return step.from[c] == IntervalStep::Source::kInterval ? intervals_[step.child[c]]
                                                               : formula_.node(step.child[c]).interval;
      };
      const std::uint32_t count = expressions::operand_count(step.op);
      intervals_[step.node] =
          expressions::apply(step.op, operand(0), count > 1 ? operand(1) : expressions::Interval(),
                             count > 2 ? operand(2) : expressions::Interval());
    }
  }

  /// Whether the chosen value of a level passes the level's tests.
  bool meets_tests(const LevelPlan& plan) {
    for (const LevelCheck& test : plan.tests) {
      run_exact(test.exact);
      if (!expressions::holds(cells_[test.root])) return false;
    }
    return true;
  }

  /// Returns the part of `range` in which a complete condition holds.
  IndexRange met(const LevelPlan& plan, const LevelCheck& check, IndexRange range);
  /// Returns the part of `range` in which an incomplete condition can still hold. Sets `always` to the part
  /// in which it must hold.
  IndexRange possible(const LevelPlan& plan, const LevelCheck& check, IndexRange range, IndexRange& always);

 private:
  expressions::Interval reach(const LevelPlan& plan, std::uint32_t node) const;

  const expressions::Formula& formula_;
  std::vector<expressions::Cell> cells_;          // For each node: its value under the choices so far.
  std::vector<expressions::Interval> intervals_;  // For each node: an enclosure of its possible values.
  std::uint32_t value_ = 0;                       // The index of the current level's value.
};

}  // namespace warptune::model::diagrams
