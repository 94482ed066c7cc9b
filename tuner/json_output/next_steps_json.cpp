#include "tuner/json_output/next_steps_json.h"

#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"

namespace warptune::tuner::json_output {

using nlohmann::ordered_json;
namespace analysis = search::analysis;

namespace {

ordered_json entry(const analysis::BorderTrend& trend) {
  return {{"parameter", trend.parameter},
          {"value", value_json(trend.value)},
          {"inside", value_json(trend.inside)},
          {"next", value_json(trend.next)},
          {"effect", effect_json(trend.effect)},
          {"best_time_ratio", finite_or_null(trend.best_ratio)},
          {"model_time_ratio", trend.model_ratio > 0.0 ? ordered_json(trend.model_ratio) : ordered_json()},
          {"limit", text_or_null(trend.limit)}};
}

ordered_json entry(const analysis::BlockedValue& blocked) {
  return {{"parameter", blocked.parameter},
          {"value", value_json(blocked.value)},
          {"best_value", value_json(blocked.best_value)},
          {"effect", effect_json(blocked.effect)},
          {"limit", text_or_null(blocked.limit)}};
}

ordered_json entry(const analysis::IdleParameter& idle) {
  return {{"parameter", idle.parameter},
          {"value", value_json(idle.value)},
          {"largest_effect_share", finite_or_null(idle.largest_effect)},
          {"pairs", idle.pairs}};
}

ordered_json entry(const analysis::FailingValue& value) {
  return {{"parameter", value.parameter},
          {"value", value_json(value.value)},
          {"rows", value.rows},
          {"status", value.status},
          {"reason", text_or_null(value.reason)}};
}

ordered_json entry(const analysis::SlowValue& value) {
  return {{"parameter", value.parameter},
          {"value", value_json(value.value)},
          {"rows", value.rows},
          {"time_ratio", finite_or_null(value.ratio)}};
}

template <class List>
ordered_json entries(const List& list) {
  ordered_json rows = ordered_json::array();
  for (const auto& one : list) rows.push_back(entry(one));
  return rows;
}

}  // namespace

ordered_json effect_json(const analysis::PairedEffect& effect) {
  const std::optional<model::MedianInterval>& ratio = effect.ratio;
  return {{"pairs", effect.pairs},
          {"time_ratio", ratio ? finite_or_null(ratio->median) : ordered_json(nullptr)},
          {"low_time_ratio", ratio ? finite_or_null(ratio->low) : ordered_json(nullptr)},
          {"high_time_ratio", ratio ? finite_or_null(ratio->high) : ordered_json(nullptr)}};
}

ordered_json next_steps_json(const analysis::NextSteps& next_steps) {
  return {{"roof_share", finite_or_null(next_steps.roof_share)},
          {"borders", entries(next_steps.borders)},
          {"blocked", entries(next_steps.blocked)},
          {"idle", entries(next_steps.idle)},
          {"failing", entries(next_steps.failing)},
          {"slow", entries(next_steps.slow)}};
}

}  // namespace warptune::tuner::json_output
