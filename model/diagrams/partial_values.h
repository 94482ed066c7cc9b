// What the conditions of a group of parameters come to under the values chosen so far.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/diagrams/level_plan.h"
#include "model/diagrams/stretch.h"
#include "model/expressions/formula.h"
#include "model/expressions/operators.h"
#include "model/expressions/quick_apply.h"

namespace warptune::model::diagrams {

/// The value of each node of a formula that the chosen levels complete, and of the others where they can
/// still lie. Steps are tried by the million, so what one step needs is inline.
class PartialValues {
 public:
  /// `formula` is borrowed.
  explicit PartialValues(const expressions::Formula& formula) : formula_(formula) {}
  /// Nothing is chosen. To be called when the formula has all its nodes.
  void start();

  const expressions::Cell& cell(std::uint32_t node) const { return cells_[node]; }
  const expressions::Interval& interval(std::uint32_t node) const { return intervals_[node]; }

  /// Chooses the value of a level.
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

  /// Whether the value chosen for a level meets the conditions that it completes.
  bool meets_tests(const LevelPlan& plan) {
    for (const LevelCheck& test : plan.tests) {
      run_exact(test.exact);
      if (!expressions::holds(cells_[test.root])) return false;
    }
    return true;
  }

  /// The part of a stretch in which a complete condition holds.
  Stretch met(const LevelPlan& plan, const LevelCheck& check, Stretch stretch);
  /// The part of a stretch in which an incomplete condition can still hold; `always` becomes the part in
  /// which it must.
  Stretch possible(const LevelPlan& plan, const LevelCheck& check, Stretch stretch, Stretch& always);

 private:
  expressions::Interval reach(const LevelPlan& plan, std::uint32_t node) const;

  const expressions::Formula& formula_;
  std::vector<expressions::Cell> cells_;          // By node: its value under the levels chosen so far.
  std::vector<expressions::Interval> intervals_;  // By node: where it can still lie.
  std::uint32_t value_ = 0;                       // The index of the value of the level in work.
};

}  // namespace warptune::model::diagrams
