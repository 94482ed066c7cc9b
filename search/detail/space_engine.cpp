#include "search/detail/space_engine.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "search/detail/diagram_builder.h"
#include "search/detail/formula.h"
#include "search/detail/parameter_groups.h"
#include "search/detail/tree.h"

namespace warptune::search::detail {

namespace {

// Every constraint split at its `&&`, without what always holds.
struct Conditions {
  std::vector<std::uint32_t> roots;
  std::vector<std::vector<std::uint32_t>> used;  // Parameters of each.
  bool impossible = false;

  void add(const Formula& formula, std::uint32_t root) {
    for (const std::uint32_t conjunct : formula.conjuncts(root)) {
      const FormulaNode& node = formula.node(conjunct);
      if (node.interval.never_holds() || (formula.is_literal(conjunct) && !holds(node.literal)))
        impossible = true;
      if (formula.is_literal(conjunct) || node.interval.always_holds()) continue;
      std::vector<std::uint32_t> parameters;
      for (const std::uint32_t part : formula.parts(conjunct)) {
        if (formula.node(part).op == Op::kVariable) parameters.push_back(formula.node(part).variable);
      }
      roots.push_back(conjunct);
      used.push_back(std::move(parameters));
    }
  }
};

std::uint32_t resolve(Formula& formula, const std::string& name, std::span<const Parameter> parameters,
                      const NamedValues& constants) {
  for (std::uint32_t p = 0; p < parameters.size(); ++p) {
    if (parameters[p].name == name) return formula.variable(p);
  }
  const Value* value = find(constants, name);
  return formula.literal(value == nullptr ? Cell::of_failure(EvaluationError::kUnknownVariable)
                                          : Cell::of(*value));
}

using Configurations = std::span<const std::vector<std::uint32_t>>;

// The node for sorted configurations that agree before `level`.
std::uint32_t add_listed(DecisionDiagram& diagram, Configurations listed, std::size_t level) {
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

SpaceEngine::SpaceEngine(std::vector<std::vector<std::uint32_t>> configurations, std::size_t parameter_count)
    : group_of_(parameter_count, 0) {
  if (configurations.empty()) return;
  std::sort(configurations.begin(), configurations.end());
  configurations.erase(std::unique(configurations.begin(), configurations.end()), configurations.end());
  std::vector<std::uint32_t> order(parameter_count);
  std::iota(order.begin(), order.end(), 0U);
  DecisionDiagram diagram(parameter_count);
  diagram.finish(add_listed(diagram, configurations, 0));
  size_ = diagram.count();
  groups_.push_back({std::move(order), std::move(diagram)});
}

SpaceEngine::SpaceEngine(std::span<const Parameter> parameters, std::span<const Constraint> constraints,
                         const NamedValues& constants)
    : group_of_(parameters.size()) {
  Formula formula(variables_of(parameters, {}));
  Conditions conditions;
  std::vector<Tree> trees;  // Own the text that the formula borrows.
  trees.reserve(constraints.size());
  for (const Constraint& constraint : constraints) {
    const Tree& tree =
        trees.emplace_back(parse_tree(constraint.expression.text(), constraint.expression.position()));
    conditions.add(formula, formula.add(tree, [&](std::uint32_t variable) {
      return resolve(formula, tree.variables[variable], parameters, constants);
    }));
  }
  if (conditions.impossible) return;
  size_ = 1;
  for (const ParameterGroup& group : group_parameters(parameters, conditions.used)) {
    std::vector<std::uint32_t> roots;
    for (const std::size_t condition : group.conditions) roots.push_back(conditions.roots[condition]);
    for (const std::uint32_t parameter : group.order) group_of_[parameter] = groups_.size();
    BuildLimits limits{UINT64_MAX, SIZE_MAX};
    groups_.push_back({group.order, *build_diagram(formula, roots, group.order, parameters, limits)});
    size_ = saturating_multiply(size_, groups_.back().diagram.count());
    if (size_ == 0) return;
  }
}

std::optional<std::uint64_t> SpaceEngine::Group::rank(const std::vector<std::uint32_t>& configuration) const {
  std::vector<std::uint32_t> choices;
  choices.reserve(order.size());
  for (const std::uint32_t parameter : order) choices.push_back(configuration[parameter]);
  return diagram.rank(choices.data());
}

std::vector<std::uint32_t> SpaceEngine::at(std::uint64_t index) const {
  std::vector<std::uint32_t> configuration(group_of_.size());
  std::vector<std::uint32_t> choices(group_of_.size());
  for (std::size_t g = groups_.size(); g-- > 0;) {
    const Group& group = groups_[g];
    group.diagram.unrank(index % group.diagram.count(), choices.data());
    index /= group.diagram.count();
    for (std::size_t level = 0; level < group.order.size(); ++level)
      configuration[group.order[level]] = choices[level];
  }
  return configuration;
}

bool SpaceEngine::visit_groups(std::size_t group, std::vector<std::uint32_t>& configuration,
                               const Visitor& visit) const {
  if (group == groups_.size()) return visit(configuration);
  return groups_[group].diagram.for_each(groups_[group].order.data(), configuration.data(),
                                         [&] { return visit_groups(group + 1, configuration, visit); });
}

void SpaceEngine::for_each(const Visitor& visit) const {
  if (size_ == 0) return;
  std::vector<std::uint32_t> configuration(group_of_.size());
  visit_groups(0, configuration, visit);
}

std::optional<std::uint64_t> SpaceEngine::index_of(const std::vector<std::uint32_t>& configuration) const {
  if (size_ == 0 || configuration.size() != group_of_.size()) return std::nullopt;
  std::uint64_t index = 0;
  for (const Group& group : groups_) {
    const std::optional<std::uint64_t> rank = group.rank(configuration);
    if (!rank) return std::nullopt;
    index = saturating_add(saturating_multiply(index, group.diagram.count()), *rank);
  }
  return index;
}

bool SpaceEngine::is_valid_around(const std::vector<std::uint32_t>& configuration,
                                  std::size_t parameter) const {
  return groups_[group_of_[parameter]].rank(configuration).has_value();
}

std::vector<std::uint32_t> SpaceEngine::nearest(std::span<const double> positions,
                                                std::span<const Parameter> parameters) const {
  std::vector<std::uint32_t> configuration(group_of_.size());
  std::vector<std::uint32_t> choices(group_of_.size());
  std::vector<DecisionDiagram::Target> targets;
  for (const Group& group : groups_) {
    targets.clear();
    for (const std::uint32_t p : group.order) targets.emplace_back(positions[p], parameters[p].values.size());
    group.diagram.nearest(targets.data(), choices.data());
    for (std::size_t level = 0; level < group.order.size(); ++level)
      configuration[group.order[level]] = choices[level];
  }
  return configuration;
}

bool SpaceEngine::is_valid(const std::vector<std::uint32_t>& configuration) const {
  return index_of(configuration).has_value();
}

std::size_t SpaceEngine::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Group& group : groups_) bytes += group.diagram.memory_bytes();
  return bytes;
}

std::size_t SpaceEngine::node_count() const {
  std::size_t nodes = 0;
  for (const Group& group : groups_) nodes += group.diagram.node_count();
  return nodes;
}

}  // namespace warptune::search::detail
