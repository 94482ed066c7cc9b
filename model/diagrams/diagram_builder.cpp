// Builds the decision diagram of a group of parameters depth first, one level for each parameter.
//
// A sub-expression has a value as soon as all its parameters are chosen. Whether an undecided condition holds
// depends only on these values and on the choices at the later levels. The values are the state. Two partial
// configurations with the same state allow the same completions, so they share one node. Each level keeps a
// table from states to nodes. A state that was seen before costs a look-up instead of a search of a subtree.
// This is the memoisation of ordered decision diagrams (Bryant 1986; for many values Kam, Villa, Brayton and
// Sangiovanni-Vincentelli 1998). They compare cofactors where the builder compares states.
// `DecisionDiagram::intern` also merges nodes that are equal although their states differ.
//
// Before it descends, a level decides as many conditions as it can (partial_values.cpp). A condition that
// holds for all later choices is removed from the state, so that more states are equal. A condition that
// cannot hold any more ends the search here. These decisions change the cost but not the result. The builder
// counts evaluations and memory, and gives up at their limits. The caller then leaves out a condition.
#include "model/diagrams/diagram_builder.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "model/diagrams/index_range.h"
#include "model/diagrams/level_plan.h"
#include "model/diagrams/level_state.h"
#include "model/diagrams/partial_values.h"

namespace warptune::model::diagrams {

namespace {

struct TooLarge {};

class Builder {
 public:
  Builder(const expressions::Formula& source, std::span<const std::uint32_t> roots,
          std::span<const std::uint32_t> order, std::span<const Parameter> parameters, BuildLimits& limits)
      : limits_(limits),
        formula_(variables_of(parameters, order)),
        values_(formula_),
        diagram_({order.begin(), order.end()}) {
    std::vector<std::uint32_t> own;
    own.reserve(roots.size());
    for (const std::uint32_t root : roots) {
      const std::uint32_t regrouped = formula_.add_regrouped(source, root);
      // Regrouping can turn a condition into a constant.
      if (!formula_.is_literal(regrouped)) {
        own.push_back(regrouped);
      } else if (!expressions::holds(formula_.node(regrouped).literal)) {
        impossible_ = true;
      }
    }
    std::vector<LevelPlan> plans = plan_levels(formula_, own, order);
    values_.start();
    undecided_.assign((own.size() + 63) / 64, 0);
    for (LevelPlan& plan : plans) levels_.emplace_back(std::move(plan), undecided_.size());
  }

  DecisionDiagram run() {
    diagram_.finish(impossible_ ? DecisionDiagram::kEmpty : expand(0));
    return std::move(diagram_);
  }

 private:
  static constexpr std::uint64_t kMemoryCheckEvery = 4096;  // Calls of `charge` from one check to the next.

  bool is_last(std::size_t index) const { return index + 1 == levels_.size(); }

  void charge(std::uint64_t evaluations) {
    if (limits_.evaluations < evaluations) throw TooLarge{};
    limits_.evaluations -= evaluations;
    if (++charges_ % kMemoryCheckEvery != 0) return;
    std::size_t bytes = diagram_.memory_bytes();
    for (const LevelState& level : levels_)
      bytes += level.states.memory_bytes() + level.ranges.memory_bytes();
    if (bytes > limits_.memory_bytes) throw TooLarge{};
  }

  std::uint32_t expand(std::size_t index) {
    LevelState& level = levels_[index];
    values_.run_intervals(level.plan.prepare);
    IndexRange range{0, static_cast<std::uint32_t>(level.plan.steps.size())};
    for (std::size_t b = 0; b < level.plan.bounds.size() && !range.empty(); ++b) {
      const LevelCheck& bound = level.plan.bounds[b];
      range = bound.complete ? values_.met(level.plan, bound, range)
                             : values_.possible(level.plan, bound, range, level.always[b]);
    }
    // Each bound is charged as four evaluations, although bisection may need more or fewer.
    charge(1 + 4 * level.plan.bounds.size() + level.plan.prepare.size() / LevelState::kStepsPerEvaluation);
    if (range.empty()) return DecisionDiagram::kEmpty;
    if (is_last(index) && level.plan.tests.empty()) return whole_range(level, range);
    charge((range.end - range.begin) * level.test_cost);
    level.choices.clear();
    for (std::uint32_t step = range.begin; step < range.end; ++step) {
      values_.choose(level.plan, step);
      if (!values_.meets_tests(level.plan)) continue;
      const std::uint32_t child = is_last(index) ? DecisionDiagram::kComplete : descend(index, step);
      if (child != DecisionDiagram::kEmpty) level.choices.push_back({level.plan.steps[step], child});
    }
    return intern(level);
  }

  std::uint32_t intern(LevelState& level) {
    if (!level.plan.ascending) {
      std::sort(level.choices.begin(), level.choices.end(),
                [](const auto& a, const auto& b) { return a.value < b.value; });
    }
    return diagram_.intern(level.choices);
  }

  // Returns the node of the last level that has an edge for each value in `range`.
  std::uint32_t whole_range(LevelState& level, IndexRange range) {
    const std::uint64_t key = std::uint64_t{range.begin} << 32 | range.end;
    if (const std::uint32_t* known = level.ranges.find(&key)) return *known;
    level.choices.clear();
    for (std::uint32_t step = range.begin; step < range.end; ++step)
      level.choices.push_back({level.plan.steps[step], DecisionDiagram::kComplete});
    const std::uint32_t node = intern(level);
    level.ranges.insert(&key, node);
    return node;
  }

  // Returns the node for the levels after `index`. The value of level `index` is chosen and meets the tests.
  std::uint32_t descend(std::size_t index, std::uint32_t step) {
    LevelState& level = levels_[index];
    charge(level.descent_cost);
    values_.run_exact(level.plan.rest);
    const std::vector<std::uint64_t>& before = index > 0 ? levels_[index - 1].decided : undecided_;
    level.decided = before;
    const auto decide = [&level](std::uint32_t r) { level.decided[r / 64] |= std::uint64_t{1} << r % 64; };
    for (std::size_t b = 0; b < level.plan.bounds.size(); ++b) {
      if (!level.plan.bounds[b].complete && level.always[b].contains(step))
        decide(level.plan.bounds[b].condition);
    }
    // For earlier values of this level, `expand` visited deeper levels. They overwrote the prepared
    // intervals.
    if (!level.plan.interval_checks.empty()) values_.run_intervals(level.plan.prepare);
    for (const LevelCheck& interval_check : level.plan.interval_checks) {
      values_.run_intervals(interval_check.intervals);
      if (values_.interval(interval_check.root).never_holds()) return DecisionDiagram::kEmpty;
      if (values_.interval(interval_check.root).always_holds()) decide(interval_check.condition);
    }
    if (!level.plan.merges && level.decided == before) return expand(index + 1);
    write_key(values_, level);
    if (const std::uint32_t* known = level.states.find(level.key.data())) return *known;
    const std::uint32_t child = expand(index + 1);
    // The deeper levels do not change this level's scratch memory, so the key still belongs to this state.
    level.states.insert(level.key.data(), child);
    return child;
  }

  BuildLimits& limits_;
  std::uint64_t charges_ = 0;
  expressions::Formula formula_;
  PartialValues values_;
  std::vector<LevelState> levels_;
  std::vector<std::uint64_t> undecided_;  // No bit is set: no condition is decided.
  bool impossible_ = false;
  DecisionDiagram diagram_;
};

}  // namespace

std::vector<expressions::FormulaVariable> variables_of(std::span<const Parameter> parameters,
                                                       std::span<const std::uint32_t> order) {
  std::vector<expressions::FormulaVariable> variables;
  variables.reserve(parameters.size());
  for (const Parameter& parameter : parameters) variables.push_back({0, parameter.values});
  for (std::size_t level = 0; level < order.size(); ++level)
    variables[order[level]].level = static_cast<int>(level);
  return variables;
}

std::optional<DecisionDiagram> build_diagram(const expressions::Formula& formula,
                                             std::span<const std::uint32_t> roots,
                                             std::span<const std::uint32_t> order,
                                             std::span<const Parameter> parameters, BuildLimits& limits) {
  try {
    return Builder(formula, roots, order, parameters, limits).run();
  } catch (const TooLarge&) {
    return std::nullopt;
  }
}

}  // namespace warptune::model::diagrams
