#pragma once

#include <cstddef>
#include <memory>

#include "search/strategy.h"

namespace warptune::search::strategies {

/// What the surrogate is made of. Each part can be left out, to measure what it is worth. The figures are in
/// docs/notes/search-experiments.md.
struct SurrogateParts {
  bool alignment = true;          ///< Columns that say how often two divides a value.
  bool compression = true;        ///< Slow configurations count less.
  bool distant_starts = true;     ///< Starts far from one another, not any.
  bool validity = true;           ///< What likely fails is worth less.
  bool neighbours = true;         ///< Of the best are candidates.
  std::size_t candidates = 4096;  ///< Drawn at a time where the space has more.
};

std::unique_ptr<Strategy> make_surrogate(const model::Space& space, const StrategyOptions& options,
                                         const SurrogateParts& parts);

}  // namespace warptune::search::strategies
