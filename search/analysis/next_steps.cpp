// Derives suggestions for changing the space from the measured rows.
//
// A suggestion needs agreement of several sources. Pairs of rows near the best that differ in one parameter
// alone show its effect with a confidence interval (parameter_effects.h). Pairs far from the best are not
// used, because parameters interact. The best configuration's own neighbours and the model must not
// contradict the pairs.
//
// The rules are one-sided. A border is suggested if the interval excludes "no effect". A parameter is called
// idle only if the ends of all intervals are close to 1, so that uncertain data never make a parameter idle.
// Values are called slow or failing only after several rows.
#include "search/analysis/next_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/text.h"
#include "search/analysis/modelled_importance.h"

namespace warptune::search::analysis {

namespace {

constexpr double kFasterRatio = 0.98;     // A smaller ratio of times counts as faster.
constexpr double kMaxIdleEffect = 0.005;  // A smaller effect does not matter, as a share of the time.
constexpr double kSlow = 1.3;          // A value is slow if its best time is this multiple of the best time.
constexpr std::size_t kMinPairs = 6;   // Fewer pairs have no 95 % interval.
constexpr std::size_t kMinRows = 5;    // The minimum number of rows to call a value slow or failing.
constexpr std::size_t kMinValues = 3;  // With two values, one of them is always at the border.

// The indices of the values in ascending order. Empty if some value is not a number.
std::vector<std::uint32_t> ascending(const model::Parameter& parameter) {
  std::vector<std::uint32_t> order(parameter.values.size());
  std::iota(order.begin(), order.end(), 0U);
  for (const model::Value& value : parameter.values) {
    if (model::type_of(value) != model::ValueType::kInteger &&
        model::type_of(value) != model::ValueType::kReal)
      return {};
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return *model::to_number(parameter.values[a]) < *model::to_number(parameter.values[b]);
  });
  return order;
}

// The next value of the sequence `before`, `last`. It continues by the same factor if this is a whole number,
// else by the same difference. Returns std::nullopt if the next value is negative or does not fit the type.
std::optional<model::Value> next_after(const model::Value& before, const model::Value& last) {
  const double a = *model::to_number(before);
  const double b = *model::to_number(last);
  const double factor = a > 0.0 && b > 0.0 ? std::max(a, b) / std::min(a, b) : 0.0;
  const bool geometric = factor > 1.0 && factor == std::floor(factor);
  const double next = geometric ? (b > a ? b * factor : b / factor) : b + (b - a);
  if (next < 0.0 || (std::min(a, b) > 0.0 && next <= 0.0)) return std::nullopt;
  if (model::type_of(last) == model::ValueType::kReal) return model::Value(next);
  if (next != std::floor(next)) return std::nullopt;
  return model::Value(static_cast<std::int64_t>(next));
}

// Whether enough pairs say that the change makes the kernel faster.
bool is_faster(const PairedEffect& effect) {
  return effect.pairs >= kMinPairs && effect.ratio && effect.ratio->median < kFasterRatio &&
         effect.ratio->high < 1.0;
}

class NextStepsBuilder {
 public:
  NextStepsBuilder(const TimedRows& rows, std::size_t best, const models::Forest* model)
      : recording_(*rows.recording),
        rows_(rows),
        best_(best),
        model_(model),
        near_(near_best(rows, kNearRatio)),
        near_effects_(near_),
        all_effects_(rows) {}

  NextSteps build() {
    for (std::size_t p = 0; p < recording_.parameters.size(); ++p) {
      if (recording_.parameters[p].values.size() < 2) continue;
      add_border(p);
      add_blocked(p);
      add_idle(p);
    }
    add_failing_and_slow();
    if (const std::optional<double> roof_ns = model::roof_time_ns(recording_.work, recording_.roofs))
      next_steps_.roof_share = *roof_ns / rows_.measurements[best_]->time->median_ns;
    const auto less = [](const auto& a, const auto& b) {
      return a.effect.ratio->median < b.effect.ratio->median;
    };
    std::sort(next_steps_.borders.begin(), next_steps_.borders.end(), less);
    std::sort(next_steps_.blocked.begin(), next_steps_.blocked.end(), less);
    std::sort(next_steps_.slow.begin(), next_steps_.slow.end(),
              [](const SlowValue& a, const SlowValue& b) { return a.ratio > b.ratio; });
    return std::move(next_steps_);
  }

 private:
  const model::Configuration& best_configuration() const { return rows_.configurations[best_]; }
  const model::Parameter& parameter(std::size_t p) const { return recording_.parameters[p]; }

  // The constraint that the best configuration breaks with another value of a parameter. Empty if it breaks
  // none.
  std::string limit_of(std::size_t p, const model::Value& value) const {
    model::NamedValues values = best_values();
    for (auto& [name, given] : values) {
      if (name == parameter(p).name) given = value;
    }
    values.insert(values.end(), recording_.constants.begin(), recording_.constants.end());
    for (const model::Constraint& constraint : recording_.constraints) {
      const base::Result<model::Value> result = constraint.expression.evaluate(values);
      const base::Result<bool> met = result ? model::to_truth(*result) : base::Result<bool>(false);
      if (met && *met) continue;
      const std::string& text = constraint.expression.text();
      return constraint.reason.empty() ? text : fmt::format("{} ({})", constraint.reason, text);
    }
    return "";
  }

  // The limit of the GPU that is exceeded if threads or shared memory grow once more by the factor from
  // `inside` to the best. Empty if none is.
  std::string gpu_limit_of(std::size_t p, std::uint32_t inside) const {
    const std::optional<std::size_t> sibling = all_effects_.sibling(best_configuration(), p, inside);
    if (!sibling) return "";
    const model::ResourceUse& before = rows_.measurements[*sibling]->resources;
    const model::ResourceUse& now = rows_.measurements[best_]->resources;
    const model::GpuDescription& gpu = recording_.workload.gpu;
    const auto exceeds = [](std::int64_t first, std::int64_t second, std::int64_t maximum) {
      return second > first && first > 0 &&
             static_cast<double>(second) * static_cast<double>(second) >
                 static_cast<double>(first) * static_cast<double>(maximum);
    };
    if (exceeds(before.threads_per_block, now.threads_per_block, gpu.max_threads_per_block))
      return fmt::format("a block has at most {} threads", gpu.max_threads_per_block);
    if (exceeds(before.static_shared_bytes + before.dynamic_shared_bytes,
                now.static_shared_bytes + now.dynamic_shared_bytes, gpu.shared_bytes_per_block_optin))
      return fmt::format("a block has at most {} bytes of shared memory", gpu.shared_bytes_per_block_optin);
    return "";
  }

  model::NamedValues best_values() const { return rows_.measurements[best_]->configuration; }

  // The best time divided by the time of the same configuration with another value of a parameter.
  std::optional<double> best_ratio(std::size_t p, std::uint32_t other) const {
    const std::optional<std::size_t> sibling = all_effects_.sibling(best_configuration(), p, other);
    if (!sibling) return std::nullopt;
    return std::exp(rows_.log_times[best_] - rows_.log_times[*sibling]);
  }

  // The same ratio as the model predicts it; 0 without a model.
  double model_ratio(std::size_t p, std::uint32_t other) const {
    if (model_ == nullptr) return 0.0;
    model::Configuration changed = best_configuration();
    changed[p] = other;
    return std::exp(model_->predict(best_configuration()) - model_->predict(changed));
  }

  void add_border(std::size_t p) {
    const std::vector<std::uint32_t> order = ascending(parameter(p));
    if (order.size() < kMinValues) return;
    const std::uint32_t value = best_configuration()[p];
    const bool low = order.front() == value;
    if (!low && order.back() != value) return;
    const std::uint32_t inside = low ? order[1] : order[order.size() - 2];
    const std::vector<model::Value>& values = parameter(p).values;
    const std::optional<model::Value> next = next_after(values[inside], values[value]);
    if (!next) return;
    BorderTrend trend;
    trend.effect = near_effects_.time_effect({p, inside, value});
    trend.best_ratio = best_ratio(p, inside);
    trend.model_ratio = model_ratio(p, inside);
    const bool pairs_say = is_faster(trend.effect);
    // The step of the best configuration itself must not contradict the pairs.
    const bool best_agrees = trend.best_ratio ? *trend.best_ratio < kFasterRatio
                                              : model_ == nullptr || trend.model_ratio < kFasterRatio;
    if (!pairs_say || !best_agrees) return;
    trend.parameter = parameter(p).name;
    trend.value = values[value];
    trend.inside = values[inside];
    trend.next = *next;
    trend.limit = limit_of(p, *next);
    if (trend.limit.empty()) trend.limit = gpu_limit_of(p, inside);
    next_steps_.borders.push_back(std::move(trend));
  }

  void add_blocked(std::size_t p) {
    if (recording_.listed || model_ == nullptr) return;
    const std::uint32_t own = best_configuration()[p];
    for (std::uint32_t value = 0; value < parameter(p).values.size(); ++value) {
      if (value == own || all_effects_.sibling(best_configuration(), p, value)) continue;
      const PairedEffect effect = near_effects_.time_effect({p, own, value});
      // In other configurations the value may compensate for something that the best one does not lack.
      if (!is_faster(effect) || !(1.0 / model_ratio(p, value) < kFasterRatio)) continue;
      const std::string limit = limit_of(p, parameter(p).values[value]);
      if (limit.empty()) continue;  // Valid but not measured yet: a search can try it.
      next_steps_.blocked.push_back(
          {parameter(p).name, parameter(p).values[value], parameter(p).values[own], effect, limit});
    }
  }

  void add_idle(std::size_t p) {
    IdleParameter idle;
    const std::size_t count = parameter(p).values.size();
    for (std::uint32_t from = 0; from < count; ++from) {
      for (std::uint32_t to = from + 1; to < count; ++to) {
        const PairedEffect effect = near_effects_.time_effect({p, from, to});
        if (!effect.ratio) continue;
        // The end of the interval counts and not the median, because an uncertain effect may matter.
        const double maximum =
            std::max(std::abs(effect.ratio->low - 1.0), std::abs(effect.ratio->high - 1.0));
        idle.largest_effect = std::max(idle.largest_effect, maximum);
        idle.pairs += effect.pairs;
      }
    }
    if (idle.pairs < kMinPairs || idle.largest_effect > kMaxIdleEffect || !best_is_indifferent(p)) return;
    idle.parameter = parameter(p).name;
    idle.value = parameter(p).values[best_configuration()[p]];
    idle.values = count;
    next_steps_.idle.push_back(std::move(idle));
  }

  bool best_is_indifferent(std::size_t p) const {
    for (std::uint32_t value = 0; value < parameter(p).values.size(); ++value) {
      const std::optional<double> ratio = best_ratio(p, value);
      if (ratio && std::abs(*ratio - 1.0) > 2.0 * kMaxIdleEffect) return false;
    }
    return true;
  }

  void add_failing_and_slow() {
    struct OfValue {
      std::size_t rows = 0;
      double best_ns = INFINITY;
      std::map<std::pair<std::string, std::string>, std::size_t> reasons;
    };
    const std::vector<model::Configuration> configurations = recording_.configurations();
    std::vector<std::vector<OfValue>> all;
    all.reserve(recording_.parameters.size());
    for (const model::Parameter& each : recording_.parameters) all.emplace_back(each.values.size());
    for (std::size_t i = 0; i < configurations.size(); ++i) {
      const model::Measurement& row = recording_.measurements[i];
      const std::string reason(base::first_line(row.reason));
      for (std::size_t p = 0; p < all.size(); ++p) {
        OfValue& of_value = all[p][configurations[i][p]];
        ++of_value.rows;
        if (has_time(row)) {
          of_value.best_ns = std::min(of_value.best_ns, row.time->median_ns);
        } else {
          ++of_value.reasons[{std::string(model::to_string(row.status)), reason}];
        }
      }
    }
    const double best_ns = rows_.measurements[best_]->time->median_ns;
    for (std::size_t p = 0; p < all.size(); ++p) {
      for (std::size_t v = 0; v < all[p].size(); ++v) {
        const OfValue& of_value = all[p][v];
        if (of_value.rows < kMinRows) continue;
        const model::Value& value = parameter(p).values[v];
        if (std::isfinite(of_value.best_ns)) {
          const double ratio = of_value.best_ns / best_ns;
          if (ratio >= kSlow) next_steps_.slow.push_back({parameter(p).name, value, of_value.rows, ratio});
          continue;
        }
        const auto commonest =
            std::max_element(of_value.reasons.begin(), of_value.reasons.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; });
        next_steps_.failing.push_back(
            {parameter(p).name, value, of_value.rows, commonest->first.first, commonest->first.second});
      }
    }
  }

  const model::Recording& recording_;
  const TimedRows& rows_;
  std::size_t best_;
  const models::Forest* model_;
  TimedRows near_;
  ParameterEffects near_effects_;
  ParameterEffects all_effects_;
  NextSteps next_steps_;
};

}  // namespace

NextSteps next_steps_of(const TimedRows& rows, const models::Forest* model) {
  const std::optional<std::size_t> best = rows.best();
  return best ? NextStepsBuilder(rows, *best, model).build() : NextSteps();
}

}  // namespace warptune::search::analysis
