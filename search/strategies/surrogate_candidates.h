// The configurations among which a surrogate search chooses the next.
#pragma once

#include <cstddef>
#include <unordered_set>

#include "base/random.h"
#include "model/space.h"
#include "search/strategies/candidate_list.h"
#include "search/strategies/surrogate.h"
#include "search/strategies/surrogate_points.h"

namespace warptune::search::strategies {

/// The candidates of a small space are all its configurations. Those of a larger space are a random sample
/// and the neighbours of the best points. `redraw` replaces the sample, so that every configuration can
/// become a candidate. If the diagrams of the space leave out constraints, sampling may cost too much. Then
/// only the neighbours are candidates.
class SurrogateCandidates {
 public:
  /// All arguments are borrowed and must outlive the object.
  SurrogateCandidates(const SurrogateParts& parts, const model::Space& space,
                      const models::FeatureMap& features, const SurrogatePoints& points);

  const CandidateList& list() const { return list_; }
  /// Marks the configuration with this index as taken, so that it is not chosen again.
  void take(std::uint64_t index) { list_.take(index); }
  /// Draws new candidates. Returns false if the list stays, because it holds the whole space.
  bool redraw(base::Random& random);
  /// Adds all single changes of the best points. The neighbours of a point are added only once.
  void add_neighbours_of_best(base::Random& random);

 private:
  void add(const model::Configuration& configuration);

  const SurrogateParts& parts_;
  const model::Space& space_;
  const SurrogatePoints& points_;
  CandidateList list_;
  std::unordered_set<std::size_t> expanded_;  // Points whose neighbours are in the list.
};

}  // namespace warptune::search::strategies
