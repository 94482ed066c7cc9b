#include "model/diagrams/diagram_builder.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>

#include "model/diagrams/level_plan.h"
#include "model/diagrams/state_table.h"
#include "model/expressions/quick_apply.h"

namespace warptune::model::diagrams {

namespace {

using Shape = LevelCheck::Shape;
using Source = IntervalStep::Source;

struct TooLarge {};

/// Steps [begin, end) of a level.
struct Stretch {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;

  bool empty() const { return begin >= end; }
  bool contains(std::uint32_t step) const { return begin <= step && step < end; }
};

/// The first of a stretch's steps for which `from_here` holds, its end when none; `from_here` must go on
/// holding once it does.
template <class F>
std::uint32_t first_step(Stretch stretch, const F& from_here) {
  while (!stretch.empty()) {
    const std::uint32_t middle = stretch.begin + (stretch.end - stretch.begin) / 2;
    if (from_here(middle)) {
      stretch.end = middle;
    } else {
      stretch.begin = middle + 1;
    }
  }
  return stretch.begin;
}

class Builder {
 public:
  Builder(const expressions::Formula& source, std::span<const std::uint32_t> roots,
          std::span<const std::uint32_t> order, std::span<const Parameter> parameters, BuildLimits& limits)
      : limits_(limits), formula_(variables_of(parameters, order)), diagram_({order.begin(), order.end()}) {
    std::vector<std::uint32_t> own;
    own.reserve(roots.size());
    for (const std::uint32_t root : roots) {
      const std::uint32_t regrouped = formula_.add_regrouped(source, root);
      // Regrouping can bring together what decides a condition.
      if (!formula_.is_literal(regrouped)) {
        own.push_back(regrouped);
      } else if (!expressions::holds(formula_.node(regrouped).literal)) {
        impossible_ = true;
      }
    }
    std::vector<LevelPlan> plans = plan_levels(formula_, own, order);
    const std::vector<bool> quick = quick_nodes(formula_);
    cells_.resize(formula_.size());
    for (std::uint32_t i = 0; i < formula_.size(); ++i) {
      if (quick[i]) cells_[i].kind = expressions::Cell::Kind::kInteger;
      if (formula_.is_literal(i)) cells_[i] = formula_.node(i).literal;
      intervals_.push_back(formula_.node(i).interval);
    }
    undecided_.assign((own.size() + 63) / 64, 0);
    for (LevelPlan& plan : plans) levels_.emplace_back(std::move(plan), undecided_.size());
  }

  DecisionDiagram run() {
    diagram_.finish(impossible_ ? DecisionDiagram::kEmpty : expand(0));
    return std::move(diagram_);
  }

 private:
  static constexpr std::size_t kTagsPerWord = 21;  // Of three bits.
  static constexpr std::uint64_t kMemoryCheckEvery = 4096;
  static constexpr std::size_t kStepsPerEvaluation = 8;

  struct Level {
    Level(LevelPlan given, std::size_t condition_words)
        : plan(std::move(given)),
          key(plan.live.size() + (plan.live.size() + kTagsPerWord - 1) / kTagsPerWord),
          states(key.size()),
          stretches(1),
          always(plan.bounds.size()),
          decided(condition_words, 0) {
      std::size_t steps = plan.rest.size() + (plan.outlooks.empty() ? 0 : plan.prepare.size());
      for (const LevelCheck& outlook : plan.outlooks) steps += outlook.intervals.size() + 1;
      descent_cost = (steps + plan.live.size()) / kStepsPerEvaluation;
    }

    LevelPlan plan;
    std::uint64_t descent_cost = 0;  // In evaluations.
    std::vector<std::uint64_t> key;
    StateTable states;
    StateTable stretches;                // Of the last level: nodes that are one stretch.
    std::vector<Stretch> always;         // By bound: where an incomplete condition holds whatever follows.
    std::vector<std::uint64_t> decided;  // Conditions that hold whatever follows, as bits.
    std::vector<DecisionDiagram::Choice> choices;
  };

  bool is_last(std::size_t index) const { return index + 1 == levels_.size(); }

  void charge(std::uint64_t evaluations) {
    if (limits_.evaluations < evaluations) throw TooLarge{};
    limits_.evaluations -= evaluations;
    if (++charges_ % kMemoryCheckEvery != 0) return;
    std::size_t bytes = diagram_.memory_bytes();
    for (const Level& level : levels_) bytes += level.states.memory_bytes() + level.stretches.memory_bytes();
    if (bytes > limits_.memory_bytes) throw TooLarge{};
  }

  std::uint32_t expand(std::size_t index) {
    Level& level = levels_[index];
    run_intervals(level.plan.prepare);
    Stretch stretch{0, static_cast<std::uint32_t>(level.plan.steps.size())};
    for (std::size_t b = 0; b < level.plan.bounds.size() && !stretch.empty(); ++b)
      stretch = level.plan.bounds[b].complete ? met(level, level.plan.bounds[b], stretch)
                                              : possible(level, b, stretch);
    charge(1 + 4 * level.plan.bounds.size() + level.plan.prepare.size() / kStepsPerEvaluation);
    if (stretch.empty()) return DecisionDiagram::kEmpty;
    if (is_last(index) && level.plan.tests.empty()) return whole_stretch(level, stretch);
    charge(stretch.end - stretch.begin);
    level.choices.clear();
    for (std::uint32_t step = stretch.begin; step < stretch.end; ++step) {
      choose(level, step);
      if (!meets_tests(level)) continue;
      const std::uint32_t child = is_last(index) ? DecisionDiagram::kComplete : descend(index, step);
      if (child != DecisionDiagram::kEmpty) level.choices.push_back({level.plan.steps[step], child});
    }
    return intern(level);
  }

  std::uint32_t intern(Level& level) {
    if (!level.plan.ascending) {
      std::sort(level.choices.begin(), level.choices.end(),
                [](const auto& a, const auto& b) { return a.value < b.value; });
    }
    return diagram_.intern(level.choices);
  }

  std::uint32_t whole_stretch(Level& level, Stretch stretch) {
    const std::uint64_t key = std::uint64_t{stretch.begin} << 32 | stretch.end;
    if (const std::uint32_t* known = level.stretches.find(&key)) return *known;
    level.choices.clear();
    for (std::uint32_t step = stretch.begin; step < stretch.end; ++step)
      level.choices.push_back({level.plan.steps[step], DecisionDiagram::kComplete});
    const std::uint32_t node = intern(level);
    level.stretches.insert(&key, node);
    return node;
  }

  void choose(const Level& level, std::uint32_t step) {
    value_ = level.plan.steps[step];
    cells_[level.plan.variable] = formula_.table(formula_.node(level.plan.variable))[value_];
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
        if (step.from[c] == Source::kCell) return expressions::Interval::of(cells_[step.child[c]]);
        return step.from[c] == Source::kInterval ? intervals_[step.child[c]]
                                                 : formula_.node(step.child[c]).interval;
      };
      const std::uint32_t count = expressions::operand_count(step.op);
      intervals_[step.node] =
          expressions::apply(step.op, operand(0), count > 1 ? operand(1) : expressions::Interval(),
                             count > 2 ? operand(2) : expressions::Interval());
    }
  }

  bool meets_tests(const Level& level) {
    for (const LevelCheck& test : level.plan.tests) {
      run_exact(test.exact);
      if (!expressions::holds(cells_[test.root])) return false;
    }
    return true;
  }

  // The part of a stretch in which a complete condition holds.
  Stretch met(const Level& level, const LevelCheck& check, Stretch stretch) {
    const auto evaluate = [&](std::uint32_t step) {
      choose(level, step);
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

  // The part of a stretch in which an incomplete condition can still hold; notes where it must.
  Stretch possible(Level& level, std::size_t bound, Stretch stretch) {
    const LevelCheck& check = level.plan.bounds[bound];
    const auto enclose = [&](std::uint32_t step) -> const expressions::Interval& {
      choose(level, step);
      run_exact(check.exact);
      run_intervals(check.intervals);
      return intervals_[check.root];
    };
    const auto never = [&](std::uint32_t step) { return enclose(step).never_holds(); };
    const auto always = [&](std::uint32_t step) { return enclose(step).always_holds(); };
    const auto not_of = [](const auto& predicate) {
      return [&predicate](std::uint32_t step) { return !predicate(step); };
    };
    level.always[bound] = {};
    if (check.shape == Shape::kUpToSomewhere) {
      stretch.end = first_step(stretch, never);
      level.always[bound] = {stretch.begin, first_step(stretch, not_of(always))};
    } else if (check.shape == Shape::kFromSomewhere) {
      stretch.begin = first_step(stretch, not_of(never));
      level.always[bound] = {first_step(stretch, always), stretch.end};
    } else {
      const expressions::FormulaNode& equality = formula_.node(check.root);
      const bool rising = check.shape == Shape::kEqualRising;
      const std::uint32_t climbing = equality.child[rising ? 0 : 1];
      const std::uint32_t target = equality.child[rising ? 1 : 0];
      stretch.begin = first_step(stretch, [&](std::uint32_t step) {
        enclose(step);
        return !(reach(climbing, level).high < reach(target, level).low);
      });
      stretch.end = first_step(stretch, [&](std::uint32_t step) {
        enclose(step);
        return reach(climbing, level).low > reach(target, level).high;
      });
    }
    return stretch;
  }

  expressions::Interval reach(std::uint32_t node, const Level& level) const {
    const int here = formula_.node(level.plan.variable).last_level;
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

  // The node for the levels after `index`, whose value is chosen and meets the tests.
  std::uint32_t descend(std::size_t index, std::uint32_t step) {
    Level& level = levels_[index];
    charge(level.descent_cost);
    run_exact(level.plan.rest);
    const std::vector<std::uint64_t>& before = index > 0 ? levels_[index - 1].decided : undecided_;
    level.decided = before;
    const auto decide = [&level](std::uint32_t r) { level.decided[r / 64] |= std::uint64_t{1} << r % 64; };
    for (std::size_t b = 0; b < level.plan.bounds.size(); ++b) {
      if (!level.plan.bounds[b].complete && level.always[b].contains(step))
        decide(level.plan.bounds[b].condition);
    }
    // Deeper levels have narrowed what was prepared, for the values before.
    if (!level.plan.outlooks.empty()) run_intervals(level.plan.prepare);
    for (const LevelCheck& outlook : level.plan.outlooks) {
      run_intervals(outlook.intervals);
      if (intervals_[outlook.root].never_holds()) return DecisionDiagram::kEmpty;
      if (intervals_[outlook.root].always_holds()) decide(outlook.condition);
    }
    if (!level.plan.merges && level.decided == before) return expand(index + 1);
    write_key(level);
    if (const std::uint32_t* known = level.states.find(level.key.data())) return *known;
    const std::uint32_t child = expand(index + 1);
    // Deeper levels leave this level's scratch alone: the key is still this state's.
    level.states.insert(level.key.data(), child);
    return child;
  }

  void write_key(Level& level) const {
    constexpr std::uint64_t kNotNeeded = 7;
    const std::vector<LiveNode>& live = level.plan.live;
    std::fill(level.key.begin(), level.key.end(), std::uint64_t{0});
    for (std::size_t i = 0; i < live.size(); ++i) {
      bool needed = false;
      for (std::size_t word = 0; word < level.decided.size(); ++word)
        needed = needed || (live[i].users[word] & ~level.decided[word]) != 0;
      const expressions::Cell& cell = cells_[live[i].node];
      if (needed) level.key[i] = cell.bits();
      const std::uint64_t tag = needed ? static_cast<std::uint64_t>(cell.kind) : kNotNeeded;
      level.key[live.size() + i / kTagsPerWord] |= tag << (3 * (i % kTagsPerWord));
    }
  }

  BuildLimits& limits_;
  std::uint64_t charges_ = 0;
  expressions::Formula formula_;
  std::vector<Level> levels_;
  std::vector<expressions::Cell> cells_;          // By node: its value under the levels chosen so far.
  std::vector<expressions::Interval> intervals_;  // By node: where it can still lie.
  std::vector<std::uint64_t> undecided_;          // No condition, as bits.
  bool impossible_ = false;
  std::uint32_t value_ = 0;  // The index of the value of the level in work.
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
