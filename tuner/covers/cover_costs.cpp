#include "tuner/covers/cover_costs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace warptune::tuner::covers {

namespace {

constexpr std::size_t kMinTimes = 5;
constexpr std::size_t kFolds = 8;
constexpr std::size_t kConfigurationsOfForm = 12;  // Those with the most times choose the form.
constexpr double kNearLoss = 0.15;
constexpr double kUnknownLoss = 0.2;  // Logarithms.
constexpr double kMaxFeltLoss = 1.0;

std::vector<TimedSize> times_of(const CoverTable& table, std::size_t configuration,
                                const std::vector<std::size_t>& sizes) {
  std::vector<TimedSize> timed;
  for (const std::size_t s : sizes) {
    const CoverSize& at = table.sizes[s];
    const std::optional<double>& time_ns = at.timed_ns[configuration];
    if (time_ns && *time_ns > 0.0)
      timed.push_back({at.size, *time_ns / 1e3, table.estimated_loss(configuration, s).value_or(0.0)});
  }
  return timed;
}

}  // namespace

std::optional<double> CoverCosts::cost_us(std::size_t configuration, const Size& size) const {
  const std::optional<SizeCost>& cost = costs[configuration];
  if (!cost || !shape->allows(configurations[configuration], size)) return std::nullopt;
  return cost_at(*shape, form, configurations[configuration], *cost, size);
}

std::optional<std::size_t> CoverCosts::configuration_for(const Size& size) const {
  std::optional<std::size_t> found;
  double lowest = 0.0;
  for (std::size_t c = 0; c < costs.size(); ++c) {
    const std::optional<double> cost = cost_us(c, size);
    if (!cost || (found && *cost >= lowest)) continue;
    found = c;
    lowest = *cost;
  }
  return found;
}

std::string CoverCosts::text(std::size_t configuration) const {
  return cost_text(*shape, form, configurations[configuration], costs[configuration].value());
}

bool has_cost(const CoverTable& table, std::size_t configuration, const std::vector<std::size_t>& sizes) {
  const auto timed = std::ranges::count_if(
      sizes, [&](std::size_t s) { return table.sizes[s].timed_ns[configuration].has_value(); });
  return static_cast<std::size_t>(timed) >= kMinTimes;
}

std::optional<CoverCosts> fit_costs(const CoverTable& table, const std::vector<std::size_t>& configurations,
                                    const std::vector<std::size_t>& sizes,
                                    const std::optional<CostForm>& form) {
  if (!table.shape) return std::nullopt;
  CoverCosts fitted{table.shape, {}, {}, {}};
  std::vector<std::vector<TimedSize>> timed;
  for (const std::size_t c : configurations) {
    fitted.configurations.push_back(table.configurations[c]);
    timed.push_back(times_of(table, c, sizes));
    if (timed.back().size() < kMinTimes) timed.back().clear();
  }
  fitted.form = form ? *form : choose_form(*table.shape, fitted.configurations, timed);
  bool any = false;
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    std::optional<CostFit> fit = fit_cost(*table.shape, fitted.form, fitted.configurations[c], timed[c]);
    any = any || fit;
    fitted.costs.push_back(fit ? std::optional(std::move(fit->cost)) : std::nullopt);
  }
  if (!any) return std::nullopt;
  return fitted;
}

CostPredictions::CostPredictions(const CoverTable& table, const std::vector<std::size_t>& sizes)
    : table_(table) {
  if (!table.shape) return;
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // Numbers of times, and configurations.
  for (std::size_t c = 0; c < table.configurations.size(); ++c) {
    std::size_t timed = 0;
    bool is_near = false;
    for (const std::size_t s : sizes) {
      if (!table.sizes[s].timed_ns[c]) continue;
      ++timed;
      is_near = is_near || table.estimated_loss(c, s).value_or(kNearLoss) < kNearLoss;
    }
    if (is_near && timed >= kMinTimes) ranked.emplace_back(timed, c);
  }
  std::ranges::sort(ranked, [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (const auto& [timed, c] : ranked) candidates_.push_back(c);
  if (candidates_.empty()) return;
  const std::size_t often = std::min(candidates_.size(), kConfigurationsOfForm);
  const auto first = fit_costs(
      table, {candidates_.begin(), candidates_.begin() + static_cast<std::ptrdiff_t>(often)}, sizes);
  if (first) costs_ = fit_costs(table, candidates_, sizes, first->form);
}

std::vector<std::optional<double>> CostPredictions::losses_at(const Size& size) const {
  constexpr double kNothing = std::numeric_limits<double>::infinity();
  std::vector<std::optional<double>> losses(table_.configurations.size());
  if (!costs_) return losses;
  const std::optional<std::size_t> measured = table_.find(size);
  double best_us = measured ? table_.sizes[*measured].best_ns / 1e3 : kNothing;
  std::vector<std::optional<double>> costs_us;
  for (std::size_t k = 0; k < candidates_.size(); ++k) {
    costs_us.push_back(costs_->cost_us(k, size));
    if (!measured && costs_us[k]) best_us = std::min(best_us, *costs_us[k]);
  }
  for (std::size_t k = 0; k < candidates_.size(); ++k)
    losses[candidates_[k]] = costs_us[k] ? std::max(*costs_us[k] / best_us - 1.0, 0.0) : kNothing;
  return losses;
}

double left_out_loss(const CoverTable& table, const std::vector<std::size_t>& configurations,
                     const std::vector<std::size_t>& sizes, const ChooserOf& chooser_of) {
  double sum = 0.0;
  double weights = 0.0;
  for (std::size_t fold = 0; fold < kFolds; ++fold) {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (i % kFolds != fold) others.push_back(sizes[i]);
    }
    if (others.empty() || others.size() == sizes.size()) continue;
    const Chooser choose = chooser_of(others);
    for (std::size_t i = fold; i < sizes.size(); i += kFolds) {
      const CoverSize& at = table.sizes[sizes[i]];
      const std::optional<std::size_t> chosen = choose(at.size);
      const std::optional<double> loss =
          chosen ? table.estimated_loss(configurations[*chosen], sizes[i]) : std::nullopt;
      sum += at.weight * (loss ? std::min(std::log1p(std::max(*loss, 0.0)), kMaxFeltLoss) : kUnknownLoss);
      weights += at.weight;
    }
  }
  return weights > 0.0 ? sum / weights : 0.0;
}

}  // namespace warptune::tuner::covers
