// Where along the steps of a level a condition can hold.
//
// Along the steps of a level, which are its values by number, many conditions change once only: a product of
// positive numbers grows with each factor, so `a * b <= n` holds up to some step and not after. For those
// (plan_levels finds them by the trends of their sub-expressions) bisection finds the part of the steps in
// which they hold, by the logarithm of the evaluations. An equality with a rising side is two such searches.
// A condition that later levels complete is evaluated with intervals, each of which encloses all values that
// the levels to come can give (Moore 1966): where the interval excludes truth, no later choice can save the
// step; where it excludes falsehood, the condition needs no more attention. Intervals may be wider than what
// is reached, so such answers are never wrong and only sometimes late: the level that completes the condition
// decides.
#include "model/diagrams/partial_values.h"

#include <limits>

namespace warptune::model::diagrams {

using Shape = LevelCheck::Shape;

void PartialValues::start() {
  const std::vector<bool> quick = quick_nodes(formula_);
  cells_.assign(formula_.size(), expressions::Cell());
  intervals_.clear();
  for (std::uint32_t i = 0; i < formula_.size(); ++i) {
    if (quick[i]) cells_[i].kind = expressions::Cell::Kind::kInteger;
    if (formula_.is_literal(i)) cells_[i] = formula_.node(i).literal;
    intervals_.push_back(formula_.node(i).interval);
  }
}

Stretch PartialValues::met(const LevelPlan& plan, const LevelCheck& check, Stretch stretch) {
  const auto evaluate = [&](std::uint32_t step) {
    choose(plan, step);
    run_exact(check.exact);
  };
  const auto root_holds = [&](std::uint32_t step) {
    evaluate(step);
    return expressions::holds(cells_[check.root]);
  };
  if (check.shape == Shape::kUpToSomewhere)
    return {stretch.begin, first_step(stretch, [&](std::uint32_t step) { return !root_holds(step); })};
  if (check.shape == Shape::kFromSomewhere) return {first_step(stretch, root_holds), stretch.end};
  const expressions::FormulaNode& equality = formula_.node(check.root);
  const bool rising = check.shape == Shape::kEqualRising;
  const auto reached = [&](expressions::Op op) {
    return [&, op](std::uint32_t step) {
      evaluate(step);
      const expressions::Cell& a = cells_[equality.child[rising ? 0 : 1]];
      const expressions::Cell& b = cells_[equality.child[rising ? 1 : 0]];
      return expressions::holds(expressions::apply(op, a, b, b));
    };
  };
  stretch.begin = first_step(stretch, reached(expressions::Op::kGreaterEqual));
  stretch.end = first_step(stretch, reached(expressions::Op::kGreater));
  return stretch;
}

Stretch PartialValues::possible(const LevelPlan& plan, const LevelCheck& check, Stretch stretch,
                                Stretch& always) {
  const auto enclose = [&](std::uint32_t step) -> const expressions::Interval& {
    choose(plan, step);
    run_exact(check.exact);
    run_intervals(check.intervals);
    return intervals_[check.root];
  };
  const auto never = [&](std::uint32_t step) { return enclose(step).never_holds(); };
  const auto must = [&](std::uint32_t step) { return enclose(step).always_holds(); };
  const auto not_of = [](const auto& predicate) {
    return [&predicate](std::uint32_t step) { return !predicate(step); };
  };
  always = {};
  if (check.shape == Shape::kUpToSomewhere) {
    stretch.end = first_step(stretch, never);
    always = {stretch.begin, first_step(stretch, not_of(must))};
  } else if (check.shape == Shape::kFromSomewhere) {
    stretch.begin = first_step(stretch, not_of(never));
    always = {first_step(stretch, must), stretch.end};
  } else {
    const expressions::FormulaNode& equality = formula_.node(check.root);
    const bool rising = check.shape == Shape::kEqualRising;
    const std::uint32_t climbing = equality.child[rising ? 0 : 1];
    const std::uint32_t target = equality.child[rising ? 1 : 0];
    stretch.begin = first_step(stretch, [&](std::uint32_t step) {
      enclose(step);
      return !(reach(plan, climbing).high < reach(plan, target).low);
    });
    stretch.end = first_step(stretch, [&](std::uint32_t step) {
      enclose(step);
      return reach(plan, climbing).low > reach(plan, target).high;
    });
  }
  return stretch;
}

expressions::Interval PartialValues::reach(const LevelPlan& plan, std::uint32_t node) const {
  const int here = formula_.node(plan.variable).last_level;
  expressions::Interval interval = formula_.node(node).last_level <= here
                                       ? expressions::Interval::of(cells_[node])
                                   : formula_.node(node).first_level > here ? formula_.node(node).interval
                                                                            : intervals_[node];
  if (!interval.is_range()) {
    interval.low = -std::numeric_limits<double>::infinity();
    interval.high = std::numeric_limits<double>::infinity();
  }
  return interval;
}

}  // namespace warptune::model::diagrams
