#pragma once

#include <memory>

#include "search/strategy.h"

// The makers of all strategies, one file each; the table in strategy.cpp lists them.
namespace warptune::search::strategies {

std::unique_ptr<Strategy> make_annealing(const model::Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_auto(const model::Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_differential_evolution(const model::Space& space,
                                                      const StrategyOptions& options);
std::unique_ptr<Strategy> make_exhaustive(const model::Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_genetic(const model::Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_local_search(const model::Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_random(const model::Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_surrogate(const model::Space& space, const StrategyOptions& options);

}  // namespace warptune::search::strategies
