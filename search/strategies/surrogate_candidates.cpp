// Draws the candidates of a surrogate search: samples of the space, and the neighbours of the best points.
#include "search/strategies/surrogate_candidates.h"

#include <algorithm>
#include <vector>

namespace warptune::search::strategies {

namespace {

constexpr std::size_t kMaxNeighbours = 512;  // The maximum for one configuration.
constexpr std::size_t kExpanded = 3;         // The number of best points whose neighbours are candidates.

}  // namespace

SurrogateCandidates::SurrogateCandidates(const SurrogateParts& parts, const model::Space& space,
                                         const models::FeatureMap& features, const SurrogatePoints& points)
    : parts_(parts), space_(space), points_(points), list_(features) {}

void SurrogateCandidates::add(const model::Configuration& configuration) {
  const std::uint64_t index = *space_.index_of(configuration);
  if (!points_.holds(index)) list_.add(configuration, index);
}

bool SurrogateCandidates::redraw(base::Random& random) {
  const bool all = space_.is_exact() && space_.size() <= parts_.candidates;
  if (all && list_.size() > 0) return false;
  list_.clear();
  expanded_.clear();
  if (all) {
    space_.for_each([this](const model::Configuration& configuration) {
      add(configuration);
      return true;
    });
  } else if (space_.is_exact()) {
    for (std::size_t i = 0; i < parts_.candidates; ++i) add(space_.sample(random));
  }
  return true;
}

void SurrogateCandidates::add_neighbours_of_best(base::Random& random) {
  if (space_.is_exact() && (!parts_.neighbours || space_.size() <= parts_.candidates)) return;
  const std::vector<std::size_t> rated = points_.rated_points(kExpanded);
  for (std::size_t i = 0; i < std::min(kExpanded, rated.size()); ++i) {
    if (!expanded_.insert(rated[i]).second) continue;
    std::vector<model::Configuration> found =
        space_.neighbours(points_[rated[i]].configuration, model::Neighbourhood::kHamming);
    random.shuffle(found);
    found.resize(std::min(found.size(), kMaxNeighbours));
    for (const model::Configuration& neighbour : found) add(neighbour);
  }
}

}  // namespace warptune::search::strategies
