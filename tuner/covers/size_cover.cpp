#include "tuner/covers/size_cover.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "search/analysis/timed_rows.h"
#include "tuner/covers/set_cover.h"

namespace warptune::tuner::covers {

namespace {

constexpr double kTooSlow = std::numeric_limits<double>::infinity();

std::optional<double> time_of(const model::Measurement& row) {
  return row.status == model::Status::kMeasured ? model::median_ns_of(row) : kTooSlow;
}

std::vector<bool> within(const CoverTable& table, const std::vector<std::size_t>& sizes,
                         std::size_t configuration, double limit_share) {
  std::vector<bool> covered;
  covered.reserve(sizes.size());
  for (const std::size_t s : sizes) {
    const std::optional<double> loss = table.loss(configuration, s);
    covered.push_back(loss && *loss <= limit_share);
  }
  return covered;
}

void add_losses(const CoverTable& table, const std::vector<std::size_t>& sizes, SizeCover& cover) {
  double weights = 0.0;
  for (const std::size_t s : sizes) {
    const CoverSize& size = table.sizes[s];
    // The list answers each of these sizes with a configuration that covers it.
    const double loss = table.loss(cover.answer(size.size), s).value();
    cover.worst_loss = std::max(cover.worst_loss, loss);
    cover.mean_loss += size.weight * loss;
    weights += size.weight;
  }
  cover.mean_loss /= weights;
}

}  // namespace

std::size_t CoverTable::add_configuration(const model::NamedValues& configuration) {
  const std::string key = model::key_of(configuration);
  const auto [place, is_new] = places_.try_emplace(key, configurations.size());
  if (is_new) {
    configurations.push_back(configuration);
    for (CoverSize& size : sizes) size.times_ns.emplace_back();
  }
  return place->second;
}

std::optional<std::size_t> CoverTable::find(const Size& size) const {
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (sizes[s].size == size) return s;
  }
  return std::nullopt;
}

void CoverTable::add(const Size& size, double weight, bool held_back,
                     const std::vector<model::Measurement>& rows) {
  const bool any = std::any_of(rows.begin(), rows.end(), [](const model::Measurement& row) {
    return row.status == model::Status::kMeasured && search::analysis::has_time(row);
  });
  std::optional<std::size_t> place = find(size);
  if (!place && !any) return;
  if (!place) {
    place = sizes.size();
    sizes.push_back({size, weight, held_back, kTooSlow, {}});
    sizes.back().times_ns.resize(configurations.size());
  }
  for (const model::Measurement& row : rows) {
    const std::size_t c = add_configuration(row.configuration);
    sizes[*place].times_ns[c] = time_of(row);
  }
  CoverSize& changed = sizes[*place];
  changed.weight = weight;
  changed.held_back = changed.held_back && held_back;
  changed.best_ns = kTooSlow;
  for (const std::optional<double>& time : changed.times_ns) {
    if (time && *time < changed.best_ns) changed.best_ns = *time;
  }
}

std::optional<double> CoverTable::loss(std::size_t configuration, std::size_t size) const {
  const CoverSize& at = sizes[size];
  const std::optional<double>& time_ns = at.times_ns[configuration];
  if (!time_ns || at.best_ns == kTooSlow) return std::nullopt;
  return *time_ns / at.best_ns - 1.0;
}

std::optional<SizeCover> derive_cover(const std::vector<std::string>& names, const CoverTable& table,
                                      double limit_share, std::size_t max_steps) {
  std::vector<std::size_t> sizes;
  for (std::size_t s = 0; s < table.sizes.size(); ++s) {
    if (!table.sizes[s].held_back) sizes.push_back(s);
  }
  if (sizes.empty()) return std::nullopt;
  std::vector<std::vector<bool>> covered;
  for (std::size_t c = 0; c < table.configurations.size(); ++c)
    covered.push_back(within(table, sizes, c, limit_share));
  SizeCover cover;
  cover.configurations = minimum_cover(covered, max_steps);
  std::vector<ListExample> examples;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    ListExample example{table.sizes[sizes[i]].size, table.sizes[sizes[i]].weight, {}, {}};
    for (const std::size_t c : cover.configurations) {
      example.allowed.push_back(covered[c][i]);
      example.losses.push_back(table.loss(c, sizes[i]));
    }
    examples.push_back(std::move(example));
  }
  cover.list = learn_list(names, examples);
  add_losses(table, sizes, cover);
  return cover;
}

}  // namespace warptune::tuner::covers
