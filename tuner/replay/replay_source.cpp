#include "tuner/replay/replay_source.h"

#include "base/random.h"

namespace warptune::tuner::replay {

namespace {

bool take_ending(std::string_view& text, std::string_view ending) {
  if (text.size() < ending.size() || text.substr(text.size() - ending.size()) != ending) return false;
  text.remove_suffix(ending.size());
  return true;
}

}  // namespace

ReplayedStrategy ReplayedStrategy::parse(std::string_view text) {
  ReplaySource source = ReplaySource::kNone;
  if (take_ending(text, "+source")) {
    source = ReplaySource::kGiven;
  } else if (take_ending(text, "+shuffled")) {
    source = ReplaySource::kShuffled;
  }
  return {std::string(text), source};
}

std::vector<search::Observation> observations_of(const search::scoring::RecordedSpace& source,
                                                 const model::Space& space) {
  std::vector<search::Observation> observations;
  // A recording may have several rows of one configuration, but `source.rows()` has only the last one.
  std::vector<bool> added(source.rows().size(), false);
  for (const model::Configuration& recorded : source.recording().configurations()) {
    const std::uint64_t index = *source.space().index_of(recorded);
    if (added[index]) continue;
    added[index] = true;
    const auto configuration = space.configuration_of(source.space().values_of(recorded));
    if (!configuration || !space.contains(*configuration)) continue;
    const search::scoring::ReplayRow& row = source.rows()[index];
    const bool timed = row.status == model::Status::kMeasured || row.status == model::Status::kDropped;
    observations.push_back({*configuration, row.status, timed ? row.objective_ns : 0.0});
  }
  return observations;
}

void shuffle_objectives(std::vector<search::Observation>& observations, std::uint64_t seed) {
  std::vector<double> objectives;
  for (const search::Observation& observation : observations) {
    if (observation.is_rated()) objectives.push_back(observation.objective);
  }
  base::Random random(seed);
  random.shuffle(objectives);
  std::size_t next = 0;
  for (search::Observation& observation : observations) {
    if (observation.is_rated()) observation.objective = objectives[next++];
  }
}

}  // namespace warptune::tuner::replay
