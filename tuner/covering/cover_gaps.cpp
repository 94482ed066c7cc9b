#include "tuner/covering/cover_gaps.h"

#include <optional>

#include "tuner/covering/predicted_loss.h"
#include "tuner/covers/set_cover.h"

namespace warptune::tuner::covering {

namespace {

constexpr std::size_t kNamedAtOnce = 6;  // Configurations that are measured at once.

}  // namespace

std::vector<std::size_t> CoverGaps::hoped_cover(const std::vector<std::size_t>& sizes,
                                                std::size_t max_steps) const {
  std::vector<std::vector<bool>> hoped;
  for (std::size_t c = 0; c < table_.configurations.size(); ++c) {
    std::vector<bool> within;
    within.reserve(sizes.size());
    for (const std::size_t s : sizes) within.push_back(hopes(c, s));
    hoped.push_back(std::move(within));
  }
  return covers::minimum_cover(hoped, max_steps);
}

bool CoverGaps::hopes(std::size_t configuration, std::size_t s) const {
  if (const std::optional<double> loss = table_.loss(configuration, s)) return *loss <= limit_share_;
  return predicted_loss(table_, configuration, table_.sizes[s].size) <= limit_share_;
}

std::vector<model::NamedValues> CoverGaps::times_at(std::size_t s, const std::vector<std::size_t>& hoped) {
  std::vector<std::size_t> missing;
  for (const std::size_t c : hoped) {
    const std::optional<double> loss = table_.loss(c, s);
    if (loss && *loss <= limit_share_) return {};
    if (!loss && hopes(c, s)) missing.push_back(c);
  }
  return name(s, missing);
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
