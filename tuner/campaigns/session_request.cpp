#include "tuner/campaigns/session_request.h"

#include <fmt/format.h>

#include "base/error.h"
#include "model/outputs/reproducibility.h"
#include "search/strategy.h"
#include "tuner/session/counter_choice.h"
#include "tuner/session/recording_fit.h"

namespace warptune::tuner::campaigns {

namespace {

model::CacheState cache_state(const std::string& text) {
  const std::optional<model::CacheState> state = model::parse_cache_state(text);
  if (state && *state != model::CacheState::kUnknown) return *state;
  throw base::InputError(fmt::format("--cache {}: expected cold or warm", text));
}

}  // namespace

session::TuningRequest request_of(const fleet::SessionOptions& options) {
  session::TuningRequest request;
  session::SearchRequest& search = request.search;
  search.budget = session::Budget::parse(options.budget);
  search.strategy = options.strategy;
  search::strategy_info(options.strategy);  // Throws for an unknown one.
  search.objective = model::Objective::parse(options.objective);
  if (!options.until.empty()) search.goal = session::Goal::parse(options.until);
  session::require_time_for_roof_goal(search);
  search.seed = request.measuring.seed = options.seed;
  search.transfer = options.transfer;
  request.measuring.cache = cache_state(options.cache);
  request.cache_is_named = true;
  session::CounterChoice::parse(options.metrics).apply(search.objective, request.measuring);
  request.measuring.thorough = options.thorough;
  if (!options.reproducible.empty())
    search.reproducible = model::outputs::Reproducibility::parse(options.reproducible);
  session::require_measured_demand(request);
  return request;
}

}  // namespace warptune::tuner::campaigns
