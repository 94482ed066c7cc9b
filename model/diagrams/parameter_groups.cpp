#include "model/diagrams/parameter_groups.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace warptune::model::diagrams {

namespace {

class UnionFind {
 public:
  explicit UnionFind(std::size_t size) : parent_(size) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t root(std::uint32_t x) {
    while (parent_[x] != x) x = parent_[x] = parent_[parent_[x]];
    return x;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    parent_[std::max(root(a), root(b))] = std::min(root(a), root(b));
  }

 private:
  std::vector<std::uint32_t> parent_;
};

// Orders the parameters of each group for the levels of its diagram. A condition is complete when all its
// parameters are chosen. A chosen parameter is needed until all conditions that use it are complete. The
// fewer parameters are needed at a time, the fewer states the diagram has. So the next parameter is always
// the one with the lowest cost.
class Ordering {
 public:
  Ordering(std::span<const Parameter> parameters, const std::vector<std::vector<std::uint32_t>>& used,
           std::span<const std::size_t> conditions)
      : parameters_(parameters),
        used_(used),
        open_(parameters.size(), 0),
        closing_(parameters.size(), 0),
        conditions_of_(parameters.size()),
        unchosen_(used.size(), 0) {
    for (const std::size_t condition : conditions) {
      unchosen_[condition] = used[condition].size();
      for (const std::uint32_t parameter : used[condition]) {
        conditions_of_[parameter].push_back(condition);
        ++open_[parameter];
      }
    }
  }

  void sort(ParameterGroup& group) {
    std::vector<std::uint32_t> rest = group.order;
    group.order.clear();
    while (!rest.empty()) {
      auto best = rest.begin();
      auto best_cost = cost(*best);
      for (auto it = rest.begin() + 1; it != rest.end(); ++it) {
        const auto candidate = cost(*it);
        if (candidate < best_cost) {
          best = it;
          best_cost = candidate;
        }
      }
      choose(*best);
      group.order.push_back(*best);
      rest.erase(best);
    }
  }

 private:
  // The cost of choosing `next`. Three numbers are compared one after the other: by how much the number of
  // needed parameters grows, the negative number of conditions that become complete, and the number of
  // values.
  std::tuple<std::ptrdiff_t, std::ptrdiff_t, std::size_t> cost(std::uint32_t next) {
    std::ptrdiff_t completed = 0;
    std::ptrdiff_t released = 0;
    for (const std::size_t condition : conditions_of_[next]) {
      if (unchosen_[condition] != 1) continue;
      ++completed;
      for (const std::uint32_t p : used_[condition]) {
        if (p != next && ++closing_[p] == open_[p]) ++released;
      }
    }
    for (const std::size_t condition : conditions_of_[next]) {
      for (const std::uint32_t p : used_[condition]) closing_[p] = 0;
    }
    const std::ptrdiff_t held = static_cast<std::size_t>(completed) < conditions_of_[next].size() ? 1 : 0;
    return {held - released, -completed, parameters_[next].values.size()};
  }

  void choose(std::uint32_t parameter) {
    for (const std::size_t condition : conditions_of_[parameter]) {
      if (--unchosen_[condition] > 0) continue;
      for (const std::uint32_t p : used_[condition]) --open_[p];
    }
  }

  std::span<const Parameter> parameters_;
  const std::vector<std::vector<std::uint32_t>>& used_;
  // For each parameter: the number of incomplete conditions that contain it.
  std::vector<std::size_t> open_;
  // For each parameter: how many of its incomplete conditions a candidate completes. `cost` uses it and
  // leaves it at 0.
  std::vector<std::size_t> closing_;
  std::vector<std::vector<std::size_t>> conditions_of_;
  std::vector<std::size_t> unchosen_;  // For each condition: the number of parameters to choose.
};

}  // namespace

std::vector<ParameterGroup> group_parameters(std::span<const Parameter> parameters,
                                             std::span<const std::uint32_t> members,
                                             const std::vector<std::vector<std::uint32_t>>& used,
                                             std::span<const std::size_t> conditions) {
  UnionFind joined(parameters.size());
  for (const std::size_t condition : conditions) {
    for (const std::uint32_t parameter : used[condition]) joined.join(used[condition].front(), parameter);
  }
  std::vector<ParameterGroup> groups;
  std::vector<std::size_t> group_of_root(parameters.size(), SIZE_MAX);
  const auto group_of = [&](std::uint32_t parameter) -> ParameterGroup& {
    std::size_t& index = group_of_root[joined.root(parameter)];
    if (index == SIZE_MAX) {
      index = groups.size();
      groups.emplace_back();
    }
    return groups[index];
  };
  for (const std::uint32_t p : members) group_of(p).order.push_back(p);
  for (const std::size_t c : conditions) group_of(used[c].front()).conditions.push_back(c);
  Ordering ordering(parameters, used, conditions);
  for (ParameterGroup& group : groups) ordering.sort(group);
  return groups;
}

}  // namespace warptune::model::diagrams
