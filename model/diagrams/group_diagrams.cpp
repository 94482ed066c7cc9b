// Divides the parameters of a space into groups and builds a decision diagram for each.
//
// A constraint is split at its `&&` into conditions. Parameters that a condition uses together are in one
// group (union-find). Groups are independent of each other, so each has a diagram of its own, and their sizes
// add up instead of being multiplied. A condition that holds always or never by interval arithmetic needs no
// diagram. If a diagram exceeds the limits, its widest condition is left out, and the rest of the group is
// divided again: it may now fall into several groups.
#include "model/diagrams/group_diagrams.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <numeric>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "model/diagrams/diagram_builder.h"
#include "model/diagrams/parameter_groups.h"
#include "model/expressions/formula.h"
#include "model/expressions/tree.h"

namespace warptune::model::diagrams {

namespace {

// Each attempt is allowed half of the evaluations of the one before it, but at least this number.
constexpr std::uint64_t kMinEvaluations = std::uint64_t{1} << 18;
// The first attempts leave out one condition each. Each later attempt leaves out twice as many as the one
// before it. Together all attempts take little more than twice the time of the first, whatever the number of
// conditions.
constexpr std::size_t kSingleAttempts = 8;

std::uint32_t resolve(expressions::Formula& formula, const std::string& name,
                      std::span<const Parameter> parameters, const NamedValues& constants) {
  for (std::uint32_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].name == name) return formula.variable(p);
  }
  const Value* value = find(constants, name);
  return formula.literal(value == nullptr
                             ? expressions::Cell::of_failure(expressions::EvaluationError::kUnknownVariable)
                             : expressions::Cell::of(*value));
}

class GroupBuilder {
 public:
  GroupBuilder(std::span<const Parameter> parameters, const SpaceLimits& limits)
      : parameters_(parameters), limits_(limits), formula_(variables_of(parameters, {})) {}

  void add(std::size_t index, const Constraint& constraint, const NamedValues& constants) {
    const expressions::Tree& tree = trees_.emplace_back(
        expressions::parse_tree(constraint.expression.text(), constraint.expression.position()));
    const std::uint32_t root = formula_.add(tree, [&](std::uint32_t variable) {
      return resolve(formula_, tree.variables[variable], parameters_, constants);
    });
    for (const std::uint32_t conjunct : formula_.conjuncts(root)) add_condition(index, conjunct);
  }

  GroupDiagrams run() {
    GroupDiagrams result;
    result.empty = impossible_;
    std::vector<std::uint32_t> all(parameters_.size());
    std::iota(all.begin(), all.end(), 0U);
    std::vector<std::size_t> conditions(used_.size());
    std::iota(conditions.begin(), conditions.end(), std::size_t{0});
    std::deque<ParameterGroup> open;
    for (ParameterGroup& group : group_parameters(parameters_, all, used_, conditions))
      open.push_back(std::move(group));
    while (!open.empty() && !result.empty) {
      ParameterGroup group = std::move(open.front());
      open.pop_front();
      if (std::optional<DecisionDiagram> diagram = build(group, result.attempts)) {
        result.empty = diagram->count() == 0;
        result.groups.push_back(*std::move(diagram));
        continue;
      }
      ++result.attempts;
      for (std::size_t i = 0; i < left_out_after(result.attempts) && !group.conditions.empty(); ++i)
        result.left_out.push_back(leave_out(group));
      std::vector<ParameterGroup> parts = group_parameters(parameters_, group.order, used_, group.conditions);
      open.insert(open.begin(), std::move_iterator(parts.begin()), std::move_iterator(parts.end()));
    }
    if (result.empty) result.groups.clear();
    std::sort(result.left_out.begin(), result.left_out.end());
    result.left_out.erase(std::unique(result.left_out.begin(), result.left_out.end()), result.left_out.end());
    return result;
  }

 private:
  // Adds a condition unless it always holds.
  void add_condition(std::size_t constraint, std::uint32_t root) {
    const expressions::FormulaNode& node = formula_.node(root);
    const bool literal = formula_.is_literal(root);
    if (node.interval.never_holds() || (literal && !expressions::holds(node.literal))) impossible_ = true;
    if (literal || node.interval.always_holds()) return;
    std::vector<std::uint32_t> used;
    for (const std::uint32_t part : formula_.parts(root)) {
      if (formula_.node(part).op == expressions::Op::kVariable) used.push_back(formula_.node(part).variable);
    }
    roots_.push_back(root);
    constraint_of_.push_back(constraint);
    used_.push_back(std::move(used));
  }

  std::optional<DecisionDiagram> build(const ParameterGroup& group, std::size_t attempt) const {
    std::vector<std::uint32_t> roots;
    for (const std::size_t condition : group.conditions) roots.push_back(roots_[condition]);
    const std::uint64_t halved = limits_.evaluations >> std::min<std::size_t>(attempt, 63);
    BuildLimits limits{std::max(halved, std::min(limits_.evaluations, kMinEvaluations)),
                       limits_.memory_bytes};
    // The conditions of a single parameter cost only as many evaluations as it has values.
    if (group.order.size() == 1) limits = {UINT64_MAX, SIZE_MAX};
    return build_diagram(formula_, roots, group.order, parameters_, limits);
  }

  static std::size_t left_out_after(std::size_t attempts) {
    return attempts <= kSingleAttempts
               ? 1
               : std::size_t{1} << std::min<std::size_t>(attempts - kSingleAttempts, 30);
  }

  // Removes the condition with the most parameters from the group and returns its constraint. Among equal
  // ones it takes the condition with the most combinations of values, and then the last.
  std::size_t leave_out(ParameterGroup& group) const {
    const auto cost = [this](std::size_t condition) {
      double combinations = 0.0;
      for (const std::uint32_t p : used_[condition])
        combinations += std::log2(static_cast<double>(parameters_[p].values.size()));
      return std::tuple(used_[condition].size(), combinations, condition);
    };
    const auto worst = std::max_element(group.conditions.begin(), group.conditions.end(),
                                        [&cost](std::size_t a, std::size_t b) { return cost(a) < cost(b); });
    const std::size_t constraint = constraint_of_[*worst];
    group.conditions.erase(worst);
    return constraint;
  }

  std::span<const Parameter> parameters_;
  SpaceLimits limits_;
  expressions::Formula formula_;
  std::deque<expressions::Tree> trees_;  // The formula refers to their text.
  // For each condition (a part of a constraint between its `&&`):
  std::vector<std::uint32_t> roots_;
  std::vector<std::size_t> constraint_of_;
  std::vector<std::vector<std::uint32_t>> used_;  // The parameters of each condition.
  bool impossible_ = false;
};

// Adds the node for sorted configurations that are equal before `level`.
std::uint32_t add_listed(DecisionDiagram& diagram, std::span<const Configuration> listed, std::size_t level) {
  if (level == listed.front().size()) return DecisionDiagram::kComplete;
  std::vector<DecisionDiagram::Choice> choices;
  while (!listed.empty()) {
    const std::uint32_t value = listed.front()[level];
    const auto end = std::find_if(listed.begin(), listed.end(),
                                  [=](const auto& configuration) { return configuration[level] != value; });
    const auto count = static_cast<std::size_t>(end - listed.begin());
    choices.push_back({value, add_listed(diagram, listed.first(count), level + 1)});
    listed = listed.subspan(count);
  }
  return diagram.intern(choices);
}

}  // namespace

GroupDiagrams build_groups(std::span<const Parameter> parameters, std::span<const Constraint> constraints,
                           const NamedValues& constants, const SpaceLimits& limits) {
  GroupBuilder builder(parameters, limits);
  for (std::size_t c = 0; c < constraints.size(); ++c) builder.add(c, constraints[c], constants);
  return builder.run();
}

DecisionDiagram listed_diagram(std::vector<Configuration> configurations, std::size_t parameter_count) {
  std::vector<std::uint32_t> order(parameter_count);
  std::iota(order.begin(), order.end(), 0U);
  DecisionDiagram diagram(std::move(order));
  std::sort(configurations.begin(), configurations.end());
  configurations.erase(std::unique(configurations.begin(), configurations.end()), configurations.end());
  diagram.finish(configurations.empty() ? DecisionDiagram::kEmpty : add_listed(diagram, configurations, 0));
  return diagram;
}

}  // namespace warptune::model::diagrams
