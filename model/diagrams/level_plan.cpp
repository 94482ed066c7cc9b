// Plans each level of a decision diagram once. When a value of the level is tried later, only what that value
// changes is computed.
//
// The conditions share sub-expressions. Each sub-expression is a node of the formula and knows the first and
// the last level on which it depends. It is complete at its last level. There it is computed once for each
// value, children first.
//
// The live nodes of a level are the complete nodes that have an incomplete parent. They form a cut of the
// expression graph: every unfinished condition is a function of the live nodes and of later choices. Their
// values are therefore the state by which the builder identifies partial configurations. If the live nodes
// include the level's own parameter and all live nodes of the previous level, two partial configurations
// never have the same state. Then the builder need not look up whether the state exists already.
//
// A level has three kinds of checks. A check is a bound if the values that can meet it form one range
// (trend.h). Otherwise it is a test if its condition is complete at this level. Otherwise it is an interval
// check, which only shows whether the condition can still hold.
#include "model/diagrams/level_plan.h"

#include <algorithm>
#include <numeric>

#include "model/expressions/operators.h"
#include "model/expressions/trend.h"

namespace warptune::model::diagrams {

namespace {

using Shape = LevelCheck::Shape;
using Source = IntervalStep::Source;

// The indices of a variable's values, sorted by value. If some values are not numbers, the indices are not
// sorted.
std::vector<std::uint32_t> steps_of(const std::vector<expressions::Cell>& values) {
  std::vector<std::uint32_t> steps(values.size());
  std::iota(steps.begin(), steps.end(), 0U);
  const bool numbers = std::all_of(values.begin(), values.end(), [](const expressions::Cell& cell) {
    return cell.is_integral() || cell.kind == expressions::Cell::Kind::kReal;
  });
  if (!numbers) return steps;
  std::stable_sort(steps.begin(), steps.end(), [&values](std::uint32_t a, std::uint32_t b) {
    return expressions::holds(expressions::apply(expressions::Op::kLess, values[a], values[b], values[b]));
  });
  return steps;
}

class Planner {
 public:
  Planner(expressions::Formula& formula, std::span<const std::uint32_t> roots,
          std::span<const std::uint32_t> order)
      : formula_(formula), roots_(roots.begin(), roots.end()) {
    for (const std::uint32_t parameter : order) {
      LevelPlan plan;
      plan.variable = formula_.variable(parameter);
      plan.steps = steps_of(formula_.table(formula_.node(plan.variable)));
      plan.ascending = std::is_sorted(plan.steps.begin(), plan.steps.end());
      plans_.push_back(std::move(plan));
    }
    quick_ = quick_nodes(formula_);
    users_.resize(formula_.size());
    for (std::uint32_t r = 0; r < roots_.size(); ++r) {
      parts_.push_back(formula_.parts(roots_[r]));
      for (const std::uint32_t node : parts_.back()) users_[node].push_back(r);
    }
  }

  std::vector<LevelPlan> run() {
    find_live_nodes();
    for (std::size_t level = 0; level < plans_.size(); ++level) {
      plan_checks(level);
      plan_rest(level);
      plan_preparation(level);
      plans_[level].merges = !holds_all_before(level);
    }
    return std::move(plans_);
  }

 private:
  int last_level(std::uint32_t node) const { return formula_.node(node).last_level; }
  int first_level(std::uint32_t node) const { return formula_.node(node).first_level; }

  // A complete node with an incomplete parent is live.
  void find_live_nodes() {
    const std::size_t words = (roots_.size() + 63) / 64;
    std::vector<std::vector<std::uint32_t>> parents(formula_.size());
    for (std::uint32_t i = 0; i < formula_.size(); ++i) {
      const expressions::FormulaNode& node = formula_.node(i);
      for (std::uint32_t c = 0; c < expressions::operand_count(node.op); ++c)
        parents[node.child[c]].push_back(i);
    }
    for (std::uint32_t i = 0; i < formula_.size(); ++i) {
      if (formula_.is_literal(i)) continue;
      const int from = last_level(i);
      for (const std::uint32_t parent : parents[i]) {
        if (users_[parent].empty()) continue;
        for (int level = from; level < last_level(parent); ++level) {
          std::vector<LiveNode>& live = plans_[static_cast<std::size_t>(level)].live;
          if (live.empty() || live.back().node != i)
            live.push_back({i, std::vector<std::uint64_t>(words, 0)});
          for (const std::uint32_t r : users_[parent])
            live.back().users[r / 64] |= std::uint64_t{1} << r % 64;
        }
      }
    }
  }

  void plan_checks(std::size_t level) {
    LevelPlan& plan = plans_[level];
    const expressions::TrendAnalysis trends(formula_, plan.variable, plan.steps);
    scheduled_.assign(formula_.size(), false);
    for (const std::uint32_t r : users_[plan.variable]) {
      LevelCheck check;
      check.condition = r;
      check.root = roots_[r];
      check.complete = last_level(roots_[r]) == static_cast<int>(level);
      check.shape = shape_of(roots_[r], trends);
      for (const std::uint32_t node : parts_[r]) {
        if (!check.complete && trends.depends(node) && last_level(node) > static_cast<int>(level))
          check.intervals.push_back(interval_step(node, level));
      }
      if (check.shape != Shape::kAnywhere) {
        check.exact = exact_steps(r, level, false);
        plan.bounds.push_back(std::move(check));
      } else if (check.complete) {
        check.exact = exact_steps(r, level, true);
        plan.tests.push_back(std::move(check));
      } else {
        plan.interval_checks.push_back(std::move(check));
      }
    }
  }

  Shape shape_of(std::uint32_t root, const expressions::TrendAnalysis& trends) const {
    const expressions::FormulaNode& node = formula_.node(root);
    if (node.op == expressions::Op::kEqual && !node.has_table()) {
      const expressions::Trend trend = trends.of_difference(node.child[0], node.child[1]);
      if (trend == expressions::Trend::kRising) return Shape::kEqualRising;
      if (trend == expressions::Trend::kFalling) return Shape::kEqualFalling;
    }
    const expressions::Trend trend = trends.of_truth(root);
    if (trend == expressions::Trend::kRising) return Shape::kFromSomewhere;
    return trend == expressions::Trend::kFalling ? Shape::kUpToSomewhere : Shape::kAnywhere;
  }

  // The computations (`ExactStep`s) of a condition that the level completes, children first. With `once`,
  // those that are scheduled already are left out.
  std::vector<ExactStep> exact_steps(std::uint32_t condition, std::size_t level, bool once) {
    return steps_for({roots_[condition]}, static_cast<int>(level), once);
  }

  std::vector<ExactStep> steps_for(std::vector<std::uint32_t> open, int level, bool once) {
    std::vector<bool> seen(formula_.size(), false);
    std::vector<std::uint32_t> needed;
    while (!open.empty()) {
      const std::uint32_t index = open.back();
      open.pop_back();
      const expressions::FormulaNode& node = formula_.node(index);
      if (seen[index] || node.last_level < level || node.op == expressions::Op::kVariable) continue;
      seen[index] = true;
      const bool here = node.last_level == level;
      if (here && once && scheduled_[index]) continue;
      if (here) needed.push_back(index);
      if (here && once) scheduled_[index] = true;
      if (!here || !node.has_table())
        open.insert(open.end(), node.child.begin(), node.child.begin() + expressions::operand_count(node.op));
    }
    std::sort(needed.begin(), needed.end());
    std::vector<ExactStep> steps;
    steps.reserve(needed.size());
    for (const std::uint32_t node : needed) steps.push_back(exact_step(node));
    return steps;
  }

  ExactStep exact_step(std::uint32_t index) const {
    const expressions::FormulaNode& node = formula_.node(index);
    ExactStep step{index, node.op, node.child, quick_[index], nullptr};
    if (node.has_table()) step.table = &formula_.table(node);
    return step;
  }

  void plan_rest(std::size_t level) {
    std::vector<std::uint32_t> wanted;
    for (const LiveNode& live : plans_[level].live) wanted.push_back(live.node);
    plans_[level].rest = steps_for(std::move(wanted), static_cast<int>(level), true);
  }

  IntervalStep interval_step(std::uint32_t index, std::size_t level) const {
    const expressions::FormulaNode& node = formula_.node(index);
    IntervalStep step{index, node.op, node.child, {}};
    for (std::uint32_t c = 0; c < expressions::operand_count(node.op); ++c) {
      const std::uint32_t child = node.child[c];
      const auto chosen = static_cast<int>(level);
      step.from[c] = first_level(child) > chosen  ? Source::kStatic
                     : last_level(child) > chosen ? Source::kInterval
                                                  : Source::kCell;
      if (formula_.is_literal(child)) step.from[c] = Source::kStatic;
    }
    return step;
  }

  // Plans the intervals that the level's own intervals use but that do not depend on its variable.
  void plan_preparation(std::size_t level) {
    LevelPlan& plan = plans_[level];
    if (level == 0) return;
    std::vector<std::uint32_t> open;
    std::vector<bool> seen(formula_.size(), false);
    const auto open_operands = [&](const IntervalStep& step) {
      for (std::uint32_t c = 0; c < expressions::operand_count(step.op); ++c) {
        if (step.from[c] == Source::kInterval && !seen[step.child[c]]) open.push_back(step.child[c]);
      }
    };
    for (const std::vector<LevelCheck>* checks : {&plan.bounds, &plan.interval_checks}) {
      for (const LevelCheck& check : *checks) {
        for (const IntervalStep& step : check.intervals) seen[step.node] = true;
      }
      for (const LevelCheck& check : *checks) {
        for (const IntervalStep& step : check.intervals) open_operands(step);
      }
    }
    std::vector<std::uint32_t> needed;
    while (!open.empty()) {
      const std::uint32_t node = open.back();
      open.pop_back();
      if (seen[node]) continue;
      seen[node] = true;
      needed.push_back(node);
      open_operands(interval_step(node, level));
    }
    std::sort(needed.begin(), needed.end());
    for (const std::uint32_t node : needed) plan.prepare.push_back(interval_step(node, level));
  }

  // Whether the level's live nodes contain its variable and all live nodes of the previous level.
  bool holds_all_before(std::size_t level) const {
    const auto is_live = [this, level](std::uint32_t node) {
      return std::any_of(plans_[level].live.begin(), plans_[level].live.end(),
                         [node](const LiveNode& live) { return live.node == node; });
    };
    if (!is_live(plans_[level].variable)) return false;
    if (level == 0) return true;
    const std::vector<LiveNode>& before = plans_[level - 1].live;
    return std::all_of(before.begin(), before.end(),
                       [&is_live](const LiveNode& live) { return is_live(live.node); });
  }

  expressions::Formula& formula_;
  std::vector<std::uint32_t> roots_;
  std::vector<LevelPlan> plans_;
  std::vector<bool> quick_;
  std::vector<std::vector<std::uint32_t>> parts_;  // For each condition.
  std::vector<std::vector<std::uint32_t>> users_;  // For each node: the conditions that contain it.
  std::vector<bool> scheduled_;                    // For each node: whether the current level computes it.
};

}  // namespace

std::vector<bool> quick_nodes(const expressions::Formula& formula) {
  std::vector<bool> quick(formula.size(), false);
  for (std::uint32_t i = 0; i < formula.size(); ++i) {
    const expressions::FormulaNode& node = formula.node(i);
    const expressions::Interval& interval = node.interval;
    if (!interval.is_range() || !interval.integral || interval.may_fail) continue;
    if (node.has_table()) {
      quick[i] = true;
      continue;
    }
    if (node.op == expressions::Op::kLog2 || node.op == expressions::Op::kSizeof) continue;
    quick[i] = std::all_of(node.child.begin(), node.child.begin() + expressions::operand_count(node.op),
                           [&quick](std::uint32_t child) { return quick[child]; });
  }
  return quick;
}

std::vector<LevelPlan> plan_levels(expressions::Formula& formula, std::span<const std::uint32_t> roots,
                                   std::span<const std::uint32_t> order) {
  return Planner(formula, roots, order).run();
}

}  // namespace warptune::model::diagrams
