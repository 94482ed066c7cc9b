// Combines the diagrams of the groups into one space.
//
// No constraint connects two groups, so a valid configuration is any combination of one path in each diagram.
// Sizes are therefore multiplied, and an index is a number whose digits are the indices in the groups (a
// mixed radix). The nearest configuration is the nearest path of each group, because the distance is a sum.
//
// Constraints that were too costly for a diagram are left out of it. The product then also contains invalid
// configurations. Samples are drawn from it until one meets the constraints, which keeps them uniform. The
// share of valid configurations is estimated from such draws.
#include "model/diagrams/space_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "model/diagrams/group_diagrams.h"

namespace warptune::model::diagrams {

namespace {

// Indices that are drawn to estimate the share of valid configurations. A smaller space is counted instead.
constexpr std::uint64_t kShareDraws = std::uint64_t{1} << 14;
constexpr std::uint64_t kMaxShareDraws = std::uint64_t{1} << 20;  // The maximum while no draw is valid.
constexpr std::uint64_t kMaxDraws = std::uint64_t{1} << 22;       // The maximum for one sample.
constexpr std::uint64_t kMaxShifts = std::uint64_t{1} << 12;      // The maximum for `nearest_by_sampling`.
constexpr std::uint64_t kShiftsAfterFound = 32;  // The minimum of further attempts after the first valid one.

}  // namespace

SpaceEngine::SpaceEngine(std::span<const Parameter> parameters, std::span<const Constraint> constraints,
                         const NamedValues& constants, std::span<const ConstraintCheck> checks,
                         const SpaceLimits& limits)
    : parameters_(parameters), checks_(checks), places_(parameters.size()) {
  GroupDiagrams built = build_groups(parameters, constraints, constants, limits);
  left_out_ = std::move(built.left_out);
  if (built.empty) return;
  size_ = 1;
  for (DecisionDiagram& diagram : built.groups) add_group(std::move(diagram));
  if (!left_out_.empty()) estimate_share();
}

SpaceEngine::SpaceEngine(std::span<const Parameter> parameters, std::vector<Configuration> configurations)
    : parameters_(parameters), places_(parameters.size()) {
  DecisionDiagram diagram = listed_diagram(std::move(configurations), parameters.size());
  if (diagram.count() == 0) return;
  size_ = 1;
  add_group(std::move(diagram));
}

void SpaceEngine::add_group(DecisionDiagram diagram) {
  size_ = saturating_multiply(size_, diagram.count());
  for (std::size_t level = 0; level < diagram.order().size(); ++level)
    places_[diagram.order()[level]] = {groups_.size(), level};
  groups_.push_back(std::move(diagram));
}

void SpaceEngine::estimate_share() {
  if (size_ <= kShareDraws) {
    std::uint64_t count = 0;
    for_each([&count](const Configuration&) {
      ++count;
      return true;
    });
    valid_share_ = static_cast<double>(count) / static_cast<double>(size_);
    if (count == 0) size_ = 0;
    return;
  }
  base::Random random(1);  // The seed is fixed, so that a space always has the same estimate.
  Configuration configuration(places_.size());
  std::uint64_t draws = 0;
  std::uint64_t valid = 0;
  while (draws < kShareDraws || (valid == 0 && draws < kMaxShareDraws)) {
    draw(random, configuration);
    ++draws;
    if (meets_left_out(configuration)) ++valid;
  }
  valid_share_ = static_cast<double>(valid) / static_cast<double>(draws);
}

double SpaceEngine::estimated_size() const {
  if (size_ == 0) return 0.0;
  if (has_indices()) return static_cast<double>(size_) * valid_share_;
  long double size = 1.0L;
  for (const DecisionDiagram& group : groups_) size *= group.weight();
  return static_cast<double>(size) * valid_share_;
}

bool SpaceEngine::meets_left_out(const Configuration& configuration) const {
  return std::all_of(left_out_.begin(), left_out_.end(), [&](std::size_t constraint) {
    return checks_[constraint](configuration).value_or(false);
  });
}

void SpaceEngine::draw(base::Random& random, Configuration& configuration) const {
  for (const DecisionDiagram& group : groups_) group.sample(random, configuration.data());
}

Configuration SpaceEngine::at(std::uint64_t index) const {
  Configuration configuration(places_.size());
  if (!has_indices()) {
    base::Random random(index);
    draw(random, configuration);
    return configuration;
  }
  for (std::size_t g = groups_.size(); g-- > 0;) {
    groups_[g].unrank(index % groups_[g].count(), configuration.data());
    index /= groups_[g].count();
  }
  return configuration;
}

Configuration SpaceEngine::sample(base::Random& random) const {
  Configuration configuration(places_.size());
  for (std::uint64_t attempt = 0; attempt < kMaxDraws; ++attempt) {
    if (has_indices()) {
      configuration = at(random.below(size_));
    } else {
      draw(random, configuration);
    }
    if (meets_left_out(configuration)) return configuration;
  }
  throw base::WorkError(fmt::format(
      "none of {} random configurations meets '{}' and the other constraints that were too costly to solve",
      kMaxDraws, checks_[left_out_.front()].text()));
}

bool SpaceEngine::visit_groups(std::size_t group, Configuration& configuration, const Visitor& visit) const {
  if (group == groups_.size()) return !meets_left_out(configuration) || visit(configuration);
  return groups_[group].for_each(configuration.data(),
                                 [&] { return visit_groups(group + 1, configuration, visit); });
}

void SpaceEngine::for_each(const Visitor& visit) const {
  if (size_ == 0) return;
  Configuration configuration(places_.size());
  visit_groups(0, configuration, visit);
}

std::optional<std::uint64_t> SpaceEngine::index_of(const Configuration& configuration) const {
  if (size_ == 0 || configuration.size() != places_.size()) return std::nullopt;
  std::uint64_t index = 0;
  if (has_indices()) {
    for (const DecisionDiagram& group : groups_) {
      const std::optional<std::uint64_t> rank = group.rank(configuration.data());
      if (!rank) return std::nullopt;
      index = index * group.count() + *rank;
    }
  } else {
    for (const DecisionDiagram& group : groups_) {
      if (!group.contains(configuration.data())) return std::nullopt;
    }
    for (const std::uint32_t value : configuration) index = base::split_mix64(index ^ value);
    index = std::min(index, UINT64_MAX - 1);
  }
  if (!meets_left_out(configuration)) return std::nullopt;
  return index;
}

std::vector<Configuration> SpaceEngine::neighbours(const Configuration& configuration,
                                                   Neighbourhood kind) const {
  std::vector<Configuration> found;
  if (size_ == 0 || configuration.size() != places_.size()) return found;
  std::vector<bool> broken;
  for (const DecisionDiagram& group : groups_) broken.push_back(!group.contains(configuration.data()));
  const auto broken_groups = std::count(broken.begin(), broken.end(), true);
  if (broken_groups > 1) return found;
  Configuration changed = configuration;
  for (std::size_t p = 0; p < configuration.size(); ++p) {
    const Place& place = places_[p];
    if (broken_groups == 1 && !broken[place.group]) continue;
    groups_[place.group].for_each_change(configuration.data(), place.level, kind == Neighbourhood::kAdjacent,
                                         [&](std::uint32_t value) {
                                           changed[p] = value;
                                           const bool valid = meets_left_out(changed);
                                           if (valid) found.push_back(changed);
                                           return valid;
                                         });
    changed[p] = configuration[p];
  }
  return found;
}

std::vector<Target> SpaceEngine::targets_at(std::span<const double> positions) const {
  std::vector<Target> targets;
  for (std::size_t p = 0; p < positions.size(); ++p)
    targets.emplace_back(positions[p], parameters_[p].values.size());
  return targets;
}

Configuration SpaceEngine::nearest_in_diagrams(std::span<const double> positions) const {
  const std::vector<Target> targets = targets_at(positions);
  Configuration configuration(places_.size());
  for (const DecisionDiagram& group : groups_) group.nearest(targets, configuration.data());
  return configuration;
}

Configuration SpaceEngine::nearest(std::span<const double> positions) const {
  Configuration configuration = nearest_in_diagrams(positions);
  return meets_left_out(configuration) ? configuration : nearest_by_sampling(positions);
}

namespace {

std::uint64_t distance(const std::vector<Target>& targets, const Configuration& configuration) {
  std::uint64_t sum = 0;
  for (std::size_t p = 0; p < configuration.size(); ++p) sum += targets[p].distance(configuration[p]);
  return sum;
}

}  // namespace

// Draws random positions around the targets, at increasing distances, and takes the configuration of the
// diagrams that is nearest to each. Ends some attempts after the first valid configuration. Takes the nearest
// valid one, or a random one if none was found, moves it towards the targets and returns it.
Configuration SpaceEngine::nearest_by_sampling(std::span<const double> positions) const {
  const std::vector<Target> targets = targets_at(positions);
  base::Random random(1);
  std::optional<Configuration> best;
  std::uint64_t end = kMaxShifts;
  std::vector<double> shifted(positions.size());
  for (std::uint64_t attempt = 1; attempt <= end; ++attempt) {
    const double reach = static_cast<double>(attempt) / static_cast<double>(kMaxShifts);
    for (std::size_t p = 0; p < shifted.size(); ++p) {
      const auto length = static_cast<double>(parameters_[p].values.size());
      const double spread = std::max(1.5, reach * length);
      shifted[p] = targets[p].position() + (2.0 * random.unit() - 1.0) * spread;
    }
    Configuration candidate = nearest_in_diagrams(shifted);
    if (!meets_left_out(candidate)) continue;
    if (!best) end = std::min(kMaxShifts, 2 * attempt + kShiftsAfterFound);
    if (!best || distance(targets, candidate) < distance(targets, *best)) best = std::move(candidate);
  }
  return moved_towards(targets, best ? *std::move(best) : sample(random));
}

// Makes single changes, each time the one that reduces the distance most.
Configuration SpaceEngine::moved_towards(const std::vector<Target>& targets,
                                         Configuration configuration) const {
  while (true) {
    std::vector<Configuration> around = neighbours(configuration, Neighbourhood::kHamming);
    const auto nearer = [&targets](const Configuration& a, const Configuration& b) {
      return distance(targets, a) < distance(targets, b);
    };
    const auto best = std::min_element(around.begin(), around.end(), nearer);
    if (best == around.end() || !nearer(*best, configuration)) return configuration;
    configuration = std::move(*best);
  }
}

std::size_t SpaceEngine::memory_bytes() const {
  std::size_t bytes = 0;
  for (const DecisionDiagram& group : groups_) bytes += group.memory_bytes();
  return bytes;
}

std::size_t SpaceEngine::node_count() const {
  std::size_t nodes = 0;
  for (const DecisionDiagram& group : groups_) nodes += group.node_count();
  return nodes;
}

}  // namespace warptune::model::diagrams
