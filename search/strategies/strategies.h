#pragma once

#include <memory>

#include "search/strategy.h"

// The makers of all strategies, one file each; the table in strategy.cpp lists them.
namespace warptune::search::detail {

std::unique_ptr<Strategy> make_annealing(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_auto(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_differential_evolution(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_exhaustive(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_genetic(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_local_search(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_random(const Space& space, const StrategyOptions& options);
std::unique_ptr<Strategy> make_surrogate(const Space& space, const StrategyOptions& options);

}  // namespace warptune::search::detail
