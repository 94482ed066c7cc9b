#pragma once

#include <cstddef>
#include <memory>

#include "search/strategy.h"

namespace warptune::search::strategies {

/// The parts of the surrogate strategy. Each part can be switched off in order to measure what it
/// contributes. The figures are in docs/notes/search-experiments.md.
struct SurrogateParts {
  bool alignment = true;          ///< Features include how often two divides a value.
  bool compression = true;        ///< The objectives of slow configurations are compressed.
  bool distant_starts = true;     ///< The first configurations are chosen far from each other.
  bool validity = true;           ///< The gain is multiplied by the probability that the candidate runs.
  bool neighbours = true;         ///< The neighbours of the best configurations are candidates.
  std::size_t candidates = 4096;  ///< The number of candidates drawn at a time in a larger space.
};

std::unique_ptr<Strategy> make_surrogate(const model::Space& space, const StrategyOptions& options,
                                         const SurrogateParts& parts);

}  // namespace warptune::search::strategies
