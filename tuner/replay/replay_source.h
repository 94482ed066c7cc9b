#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "search/scoring/recorded_space.h"
#include "search/strategy.h"

namespace warptune::tuner::replay {

/// What a replayed strategy knows from another recording of the same kernel.
enum class ReplaySource { kNone, kGiven, kShuffled };

/// A strategy as `replay --strategy` names it. `NAME` knows no other recording. `NAME+source` knows another
/// recording. `NAME+shuffled` knows that recording with randomly exchanged times, so that it is misled.
struct ReplayedStrategy {
  std::string name;
  ReplaySource source = ReplaySource::kNone;

  static ReplayedStrategy parse(std::string_view text);
};

/// The rows of `source` whose configuration is also in `space`, compared by the values of its parameters. The
/// rows have the order of the recording.
std::vector<search::Observation> observations_of(const search::scoring::RecordedSpace& source,
                                                 const model::Space& space);

/// Randomly exchanges the objectives of the rated observations.
void shuffle_objectives(std::vector<search::Observation>& observations, std::uint64_t seed);

}  // namespace warptune::tuner::replay
