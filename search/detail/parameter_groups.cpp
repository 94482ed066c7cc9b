#include "search/detail/parameter_groups.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace warptune::search::detail {

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

class Ordering {
 public:
  Ordering(std::span<const Parameter> parameters, const std::vector<std::vector<std::uint32_t>>& used)
      : parameters_(parameters), used_(used), chosen_(parameters.size(), false) {}

  void sort(ParameterGroup& group) {
    std::vector<std::uint32_t> rest = group.order;
    group.order.clear();
    while (!rest.empty()) {
      auto best = rest.begin();
      auto best_cost = cost(group, *best);
      for (auto it = rest.begin() + 1; it != rest.end(); ++it) {
        const auto candidate = cost(group, *it);
        if (candidate < best_cost) {
          best = it;
          best_cost = candidate;
        }
      }
      chosen_[*best] = true;
      group.order.push_back(*best);
      rest.erase(best);
    }
  }

 private:
  // Chosen parameters still needed, minus completed conditions, values: if `next` were chosen.
  std::tuple<std::size_t, std::ptrdiff_t, std::size_t> cost(const ParameterGroup& group, std::uint32_t next) {
    chosen_[next] = true;
    std::vector<std::uint32_t> needed;
    std::ptrdiff_t completed = 0;
    for (const std::size_t condition : group.conditions) {
      const std::vector<std::uint32_t>& used = used_[condition];
      const bool complete =
          std::all_of(used.begin(), used.end(), [this](std::uint32_t p) { return chosen_[p]; });
      if (complete) {
        if (std::find(used.begin(), used.end(), next) != used.end()) ++completed;
        continue;
      }
      std::copy_if(used.begin(), used.end(), std::back_inserter(needed),
                   [this](std::uint32_t p) { return chosen_[p]; });
    }
    chosen_[next] = false;
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    return {needed.size(), -completed, parameters_[next].values.size()};
  }

  std::span<const Parameter> parameters_;
  const std::vector<std::vector<std::uint32_t>>& used_;
  std::vector<bool> chosen_;
};

}  // namespace

std::vector<ParameterGroup> group_parameters(std::span<const Parameter> parameters,
                                             const std::vector<std::vector<std::uint32_t>>& used) {
  UnionFind joined(parameters.size());
  for (const std::vector<std::uint32_t>& of_condition : used) {
    for (const std::uint32_t parameter : of_condition) joined.join(of_condition.front(), parameter);
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
  for (std::uint32_t p = 0; p < parameters.size(); ++p) group_of(p).order.push_back(p);
  for (std::size_t c = 0; c < used.size(); ++c) group_of(used[c].front()).conditions.push_back(c);
  Ordering ordering(parameters, used);
  for (ParameterGroup& group : groups) ordering.sort(group);
  return groups;
}

}  // namespace warptune::search::detail
