#include "tuner/covering/cover_gaps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tuner/covering/predicted_loss.h"

namespace warptune::tuner::covering {

namespace {

constexpr std::size_t kNamedAtOnce = 6;  // Configurations that are measured at once.

}  // namespace

HopedLosses CoverGaps::hoped_losses() const {
  HopedLosses hoped;
  hoped.sizes = table_.sizes_to_answer();
  const covers::CostPredictions predicted(table_, hoped.sizes);
  hoped.losses.resize(table_.configurations.size());
  hoped.is_known.resize(table_.configurations.size());
  for (const std::size_t s : hoped.sizes) {
    const std::vector<double> here = predicted_losses(table_, predicted, table_.sizes[s].size);
    for (std::size_t c = 0; c < here.size(); ++c) {
      const std::optional<double> known = table_.loss(c, s);
      hoped.losses[c].push_back(known ? *known : here[c]);
      hoped.is_known[c].push_back(known.has_value());
    }
  }
  return hoped;
}

std::vector<std::size_t> CoverGaps::hoped_cover(const HopedLosses& hoped,
                                                const covers::CoverLimits& limits) const {
  std::vector<double> weights;
  weights.reserve(hoped.sizes.size());
  for (const std::size_t s : hoped.sizes) weights.push_back(table_.sizes[s].weight);
  return covers::choose_configurations(hoped.losses, weights, limits);
}

std::vector<model::NamedValues> CoverGaps::times_at(const HopedLosses& hoped, std::size_t place,
                                                    const std::vector<std::size_t>& cover,
                                                    const covers::CoverLimits& limits) {
  double known = std::numeric_limits<double>::infinity();
  for (const std::size_t c : cover) {
    if (hoped.is_known[c][place]) known = std::min(known, *hoped.losses[c][place]);
  }
  if (known <= limits.loss_share) return {};
  const double accepted = limits.max_configurations == 0 ? limits.loss_share : known;
  std::vector<std::pair<double, std::size_t>> missing;
  for (const std::size_t c : cover) {
    const double loss = *hoped.losses[c][place];
    if (!hoped.is_known[c][place] && std::isfinite(loss) && loss <= accepted) missing.emplace_back(loss, c);
  }
  std::ranges::sort(missing);
  std::vector<std::size_t> order;
  order.reserve(missing.size());
  for (const auto& [loss, c] : missing) order.push_back(c);
  return name(hoped.sizes[place], order);
}

std::vector<model::NamedValues> CoverGaps::answer_at(std::size_t s, const covers::SizeCover& cover) {
  const std::size_t answer = cover.answer(table_.sizes[s].size);
  if (table_.estimated_loss(answer, s)) return {};
  return name(s, {answer});
}

std::vector<model::NamedValues> CoverGaps::outputs_at(std::size_t s, const std::vector<std::size_t>& cover) {
  std::vector<std::size_t> missing;
  if (!table_.demanded) return {};
  for (const std::size_t c : cover) {
    const bool is_known = table_.loss(c, s) || table_.sizes[s].outputs[c] == covers::OutputsKnown::kMet;
    if (!is_known) missing.push_back(c);
  }
  return name(s, missing);
}

std::vector<model::NamedValues> CoverGaps::name(std::size_t s, const std::vector<std::size_t>& missing) {
  std::vector<model::NamedValues> named;
  for (const std::size_t c : missing) {
    if (named.size() < kNamedAtOnce && tried_.insert({s, c}).second)
      named.push_back(table_.configurations[c]);
  }
  return named;
}

}  // namespace warptune::tuner::covering
