#include "search/recording.h"

namespace warptune::search {

RecordingIndex::RecordingIndex(const Recording& recording) {
  for (const Measurement& measurement : recording.measurements) {
    by_key_[key_of(measurement.configuration)] = &measurement;
  }
}

const Measurement* RecordingIndex::find(const NamedValues& configuration) const {
  const auto found = by_key_.find(key_of(configuration));
  return found == by_key_.end() ? nullptr : found->second;
}

}  // namespace warptune::search
