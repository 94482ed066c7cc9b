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

/// Every configuration of a small space; of a larger one a random sample, which `redraw` replaces so that in
/// the end all had their turn, and the neighbours of the best points. Where constraints are left out of the
/// space, drawing may cost too much: then only neighbours are candidates.
class SurrogateCandidates {
 public:
  /// All are borrowed.
  SurrogateCandidates(const SurrogateParts& parts, const model::Space& space,
                      const models::FeatureMap& features, const SurrogatePoints& points);

  const CandidateList& list() const { return list_; }
  /// The configuration of that index is no more to be chosen.
  void take(std::uint64_t index) { list_.take(index); }
  /// Draws others. False where the list stays, since it is of the whole space.
  bool redraw(base::Random& random);
  /// All single changes of the best points, once for each of them.
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
