#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/scoring/recorded_space.h"
#include "search/strategy.h"

namespace warptune::tuner::replay {

/// What a replayed strategy knows of another recording of the same kernel.
enum class ReplaySource { kNone, kGiven, kShuffled };

/// A strategy as `replay --strategy` names it: `NAME`; `NAME+source`, told of another recording; or
/// `NAME+shuffled`, told of its configurations with the times exchanged among them by chance, so that it is
/// misled.
struct ReplayedStrategy {
  std::string name;
  ReplaySource source = ReplaySource::kNone;

  static ReplayedStrategy parse(std::string_view text);
};

/// The rows of `source` whose configuration, by the values of its parameters, is one of `space`; in the order
/// recorded.
std::vector<search::Observation> observations_of(const search::scoring::RecordedSpace& source,
                                                 const model::Space& space);

/// Exchanges the objectives of the rated observations among them by chance.
void shuffle_objectives(std::vector<search::Observation>& observations, std::uint64_t seed);

}  // namespace warptune::tuner::replay
