// Finds the steps of a level at which a condition can hold.
//
// The steps of a level are its values in ascending order. Along them the truth of many conditions changes
// only once. For example, a product of positive numbers grows with each factor, so `a * b <= n` holds up to
// some step and not after it. `plan_levels` finds such conditions by the trends of their sub-expressions.
// Bisection then finds the range in which they hold with a logarithmic number of evaluations. An equality
// with a rising side takes two bisections.
//
// A condition that later levels complete is evaluated with intervals. An interval encloses all values that
// the later levels can produce (Moore 1966). If it excludes true, no later choice can make the condition
// hold, and the step is left out. If it excludes false, the condition is decided. An interval may be wider
// than the reachable values. Such an answer is never wrong, but a decision may come later than possible. The
// level that completes the condition evaluates it exactly.
#include "model/diagrams/partial_values.h"

#include <limits>

namespace warptune::model::diagrams {

namespace {
using Shape = LevelCheck::Shape;
}  // namespace

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

IndexRange PartialValues::met(const LevelPlan& plan, const LevelCheck& check, IndexRange range) {
  const auto evaluate = [&](std::uint32_t step) {
    choose(plan, step);
    run_exact(check.exact);
  };
  const auto root_holds = [&](std::uint32_t step) {
    evaluate(step);
    return expressions::holds(cells_[check.root]);
  };
  if (check.shape == Shape::kUpToSomewhere)
    return {range.begin, first_step(range, [&](std::uint32_t step) { return !root_holds(step); })};
  if (check.shape == Shape::kFromSomewhere) return {first_step(range, root_holds), range.end};
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
  range.begin = first_step(range, reached(expressions::Op::kGreaterEqual));
  range.end = first_step(range, reached(expressions::Op::kGreater));
  return range;
}

IndexRange PartialValues::possible(const LevelPlan& plan, const LevelCheck& check, IndexRange range,
                                   IndexRange& always) {
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
    range.end = first_step(range, never);
    always = {range.begin, first_step(range, not_of(must))};
  } else if (check.shape == Shape::kFromSomewhere) {
    range.begin = first_step(range, not_of(never));
    always = {first_step(range, must), range.end};
  } else {
    const expressions::FormulaNode& equality = formula_.node(check.root);
    const bool rising = check.shape == Shape::kEqualRising;
    // The difference `minuend - subtrahend` increases from step to step.
    const std::uint32_t minuend = equality.child[rising ? 0 : 1];
    const std::uint32_t subtrahend = equality.child[rising ? 1 : 0];
    range.begin = first_step(range, [&](std::uint32_t step) {
      enclose(step);
      return !(reach(plan, minuend).high < reach(plan, subtrahend).low);
    });
    range.end = first_step(range, [&](std::uint32_t step) {
      enclose(step);
      return reach(plan, minuend).low > reach(plan, subtrahend).high;
    });
  }
  return range;
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
