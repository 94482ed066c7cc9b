#include "search/detail/diagram_builder.h"

#include <algorithm>
#include <cstddef>

#include "search/detail/state_table.h"

namespace warptune::search::detail {

namespace {

std::vector<FormulaVariable> variables_by_level(std::span<const std::uint32_t> order,
                                                std::span<const Parameter> parameters) {
  std::vector<FormulaVariable> variables(parameters.size());
  for (std::size_t level = 0; level < order.size(); ++level) {
    variables[order[level]] = {static_cast<int>(level), interval_of(parameters[order[level]])};
  }
  return variables;
}

class Builder {
 public:
  Builder(const Formula& source, std::span<const std::uint32_t> roots, std::span<const std::uint32_t> order,
          std::span<const Parameter> parameters)
      : formula_(variables_by_level(order, parameters)), levels_(order.size()), diagram_(order.size()) {
    for (const std::uint32_t root : roots) roots_.push_back(formula_.add_regrouped(source, root));
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      levels_[level].variable = formula_.variable(order[level]);
      for (const Value& value : parameters[order[level]].values)
        levels_[level].domain.push_back(Cell::of(value));
    }
    for (const std::uint32_t root : roots_) reach_.push_back(formula_.reach(root));
    cells_.resize(formula_.size());
    for (std::uint32_t i = 0; i < formula_.size(); ++i) {
      if (formula_.is_literal(i)) cells_[i] = formula_.node(i).literal;
      intervals_.push_back(formula_.node(i).interval);
    }
    schedule();
    find_live_nodes();
    for (Level& level : levels_) {
      level.key.resize(level.live.size() + (level.live.size() + kTagsPerWord - 1) / kTagsPerWord);
      tables_.emplace_back(level.key.size());
      level.decided.resize(roots_.size(), 0);
    }
  }

  DecisionDiagram run() {
    diagram_.finish(expand(0));
    return std::move(diagram_);
  }

 private:
  static constexpr std::size_t kTagsPerWord = 21;  // Of three bits.

  struct Live {
    std::uint32_t node;
    std::vector<std::uint32_t> users;  // The conditions that still need it.
  };
  struct Step {
    std::uint32_t node;
    bool must_hold;  // The node is a condition that this level completes.
  };
  struct Level {
    std::uint32_t variable = 0;
    std::vector<Cell> domain;
    std::vector<Step> steps;                // What this level completes, children first.
    std::vector<std::uint32_t> incomplete;  // Nodes whose interval this level narrows, children first.
    std::vector<std::uint32_t> undecided;   // Conditions with a variable here that later levels complete.
    std::vector<Live> live;
    std::vector<std::uint64_t> key;
    std::vector<std::uint8_t> decided;  // By condition: holds whatever follows.
    std::vector<DecisionDiagram::Choice> choices;
  };

  void schedule() {
    std::vector<bool> scheduled(formula_.size(), false);
    for (std::size_t r = 0; r < roots_.size(); ++r) {
      for (std::uint32_t i = 0; i <= roots_[r]; ++i) {
        const FormulaNode& node = formula_.node(i);
        if (!reach_[r][i] || scheduled[i] || node.op == Op::kLiteral) continue;
        scheduled[i] = true;
        if (node.op != Op::kVariable) level_of(i).steps.push_back({i, false});
      }
      level_of(roots_[r]).steps.push_back({roots_[r], true});
    }
    for (std::uint32_t level = 0; level < levels_.size(); ++level) schedule_intervals(level);
  }

  Level& level_of(std::uint32_t node) {
    return levels_[static_cast<std::size_t>(formula_.node(node).last_level)];
  }

  void schedule_intervals(std::uint32_t level) {
    std::vector<bool> needed(formula_.size(), false);
    for (std::uint32_t r = 0; r < roots_.size(); ++r) {
      if (!reach_[r][levels_[level].variable] || is_complete(roots_[r], level)) continue;
      levels_[level].undecided.push_back(r);
      for (std::size_t i = 0; i < needed.size(); ++i) needed[i] = needed[i] || reach_[r][i];
    }
    for (std::uint32_t i = 0; i < needed.size(); ++i) {
      const bool started = formula_.node(i).first_level <= static_cast<int>(level);
      if (needed[i] && started && !is_complete(i, level)) levels_[level].incomplete.push_back(i);
    }
  }

  bool is_complete(std::uint32_t node, std::size_t level) const {
    return formula_.node(node).last_level <= static_cast<int>(level);
  }

  // Live after a level: complete nodes with a parent that is not.
  void find_live_nodes() {
    std::vector<std::vector<std::uint32_t>> parents(formula_.size());
    for (std::uint32_t i = 0; i < formula_.size(); ++i) {
      const FormulaNode& node = formula_.node(i);
      for (std::uint32_t c = 0; c < operand_count(node.op); ++c) parents[node.child[c]].push_back(i);
    }
    for (std::size_t level = 0; level + 1 < levels_.size(); ++level) {
      for (std::uint32_t i = 0; i < formula_.size(); ++i) {
        if (formula_.is_literal(i) || !is_complete(i, level)) continue;
        Live live{i, {}};
        for (std::uint32_t r = 0; r < roots_.size(); ++r) {
          const bool used = std::any_of(parents[i].begin(), parents[i].end(), [&](std::uint32_t parent) {
            return reach_[r][parent] && !is_complete(parent, level);
          });
          if (used) live.users.push_back(r);
        }
        if (!live.users.empty()) levels_[level].live.push_back(live);
      }
    }
  }

  std::uint32_t expand(std::size_t index) {
    Level& level = levels_[index];
    level.choices.clear();
    for (std::uint32_t value = 0; value < level.domain.size(); ++value) {
      cells_[level.variable] = level.domain[value];
      if (!holds_here(level)) continue;
      const std::uint32_t child = index + 1 == levels_.size() ? DecisionDiagram::kComplete : descend(index);
      if (child != DecisionDiagram::kEmpty) level.choices.push_back({value, child});
    }
    return diagram_.intern(level.choices);
  }

  bool holds_here(const Level& level) {
    for (const Step& step : level.steps) {
      if (step.must_hold) {
        if (!holds(cells_[step.node])) return false;
      } else {
        const FormulaNode& node = formula_.node(step.node);
        cells_[step.node] =
            apply(node.op, cells_[node.child[0]], cells_[node.child[1]], cells_[node.child[2]]);
      }
    }
    return true;
  }

  std::uint32_t descend(std::size_t index) {
    Level& level = levels_[index];
    if (!can_hold_later(index)) return DecisionDiagram::kEmpty;
    write_key(level);
    if (const std::uint32_t* known = tables_[index].find(level.key.data())) return *known;
    const std::uint32_t child = expand(index + 1);
    tables_[index].insert(level.key.data(), child);
    return child;
  }

  // Notes which conditions are decided; false when one cannot hold any more.
  bool can_hold_later(std::size_t index) {
    Level& level = levels_[index];
    if (index > 0) {
      level.decided = levels_[index - 1].decided;
    } else {
      std::fill(level.decided.begin(), level.decided.end(), std::uint8_t{0});
    }
    for (const std::uint32_t i : level.incomplete) {
      const FormulaNode& node = formula_.node(i);
      const auto operand = [&](std::size_t c) {
        const std::uint32_t child = node.child[c];
        return is_complete(child, index)                                    ? Interval::of(cells_[child])
               : formula_.node(child).first_level > static_cast<int>(index) ? formula_.node(child).interval
                                                                            : intervals_[child];
      };
      const std::uint32_t count = operand_count(node.op);
      intervals_[i] = apply(node.op, operand(0), count > 1 ? operand(1) : Interval(),
                            count > 2 ? operand(2) : Interval());
    }
    for (const std::uint32_t r : level.undecided) {
      if (intervals_[roots_[r]].never_holds()) return false;
      if (intervals_[roots_[r]].always_holds()) level.decided[r] = 1;
    }
    return true;
  }

  void write_key(Level& level) const {
    constexpr std::uint64_t kNotNeeded = 7;
    std::fill(level.key.begin(), level.key.end(), std::uint64_t{0});
    for (std::size_t i = 0; i < level.live.size(); ++i) {
      const Live& live = level.live[i];
      const bool needed = std::any_of(live.users.begin(), live.users.end(),
                                      [&level](std::uint32_t r) { return level.decided[r] == 0; });
      const Cell& cell = cells_[live.node];
      if (needed) level.key[i] = cell.bits();
      const std::uint64_t tag = needed ? static_cast<std::uint64_t>(cell.kind) : kNotNeeded;
      level.key[level.live.size() + i / kTagsPerWord] |= tag << (3 * (i % kTagsPerWord));
    }
  }

  Formula formula_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::vector<bool>> reach_;
  std::vector<Level> levels_;
  std::vector<Cell> cells_;          // By node: its value under the levels chosen so far.
  std::vector<Interval> intervals_;  // By node: where it can still lie.
  std::vector<StateTable> tables_;   // By level.
  DecisionDiagram diagram_;
};

}  // namespace

Interval interval_of(const Parameter& parameter) {
  Interval result = Interval::of(Cell::of(parameter.values.front()));
  for (const Value& value : parameter.values) result = hull(result, Interval::of(Cell::of(value)));
  return result;
}

DecisionDiagram build_diagram(const Formula& formula, std::span<const std::uint32_t> roots,
                              std::span<const std::uint32_t> order, std::span<const Parameter> parameters) {
  return Builder(formula, roots, order, parameters).run();
}

}  // namespace warptune::search::detail
