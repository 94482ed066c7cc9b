#include "tuner/covers/cover_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/analysis/timed_rows.h"

namespace warptune::tuner::covers {

namespace {

constexpr double kTooSlow = std::numeric_limits<double>::infinity();

std::optional<double> time_of(const model::Measurement& row) {
  return row.status == model::Status::kMeasured ? model::median_ns_of(row) : kTooSlow;
}

// Whether the bits of the outputs must be those of a group. Errors, in contrast, depend on the size.
bool is_about_bits(const std::optional<model::outputs::Reproducibility>& demanded) {
  return demanded && demanded->demand != model::outputs::Reproducibility::Demand::kError;
}

std::optional<double> demanded_time(const CoverRow& row) {
  switch (row.outputs) {
    case OutputsKnown::kMet:
      return time_of(row.measurement);
    case OutputsKnown::kUnmet:
      return kTooSlow;
    case OutputsKnown::kUnknown:
      break;
  }
  // A row that failed has no outputs, and is not measured again for them.
  return row.measurement.status == model::Status::kMeasured ? std::nullopt : time_of(row.measurement);
}

}  // namespace

std::size_t CoverTable::add_configuration(const model::NamedValues& configuration) {
  const std::string key = model::key_of(configuration);
  const auto [place, is_new] = places_.try_emplace(key, configurations.size());
  if (is_new) {
    configurations.push_back(configuration);
    excluded_.push_back(false);
    for (CoverSize& size : sizes) {
      size.times_ns.emplace_back();
      size.all_times_ns.emplace_back();
      size.timed_ns.emplace_back();
      size.outputs.emplace_back();
    }
  }
  return place->second;
}

std::optional<std::size_t> CoverTable::find(const Size& size) const {
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (sizes[s].size == size) return s;
  }
  return std::nullopt;
}

void CoverTable::add(const Size& size, double weight, bool held_back, const std::vector<CoverRow>& rows) {
  const bool any = std::any_of(rows.begin(), rows.end(), [](const CoverRow& row) {
    return row.outputs == OutputsKnown::kMet && row.measurement.status == model::Status::kMeasured &&
           search::analysis::has_time(row.measurement);
  });
  std::optional<std::size_t> place = find(size);
  if (!place && !any) return;
  if (!place) {
    place = sizes.size();
    sizes.push_back({size, weight, held_back, kTooSlow, kTooSlow});
    sizes.back().times_ns.resize(configurations.size());
    sizes.back().all_times_ns.resize(configurations.size());
    sizes.back().timed_ns.resize(configurations.size());
    sizes.back().outputs.resize(configurations.size());
  }
  for (const CoverRow& row : rows) {
    const std::size_t c = add_configuration(row.measurement.configuration);
    sizes[*place].times_ns[c] = demanded_time(row);
    sizes[*place].all_times_ns[c] = time_of(row.measurement);
    if (search::analysis::has_time(row.measurement))
      sizes[*place].timed_ns[c] = model::median_ns_of(row.measurement);
    sizes[*place].outputs[c] = row.outputs;
  }
  CoverSize& changed = sizes[*place];
  changed.weight = weight;
  changed.held_back = changed.held_back && held_back;
  update_bests();
}

void CoverTable::update_bests() {
  for (std::size_t c = 0; c < configurations.size(); ++c) {
    excluded_[c] = is_about_bits(demanded) && std::any_of(sizes.begin(), sizes.end(), [c](const auto& size) {
                     return size.outputs[c] == OutputsKnown::kUnmet;
                   });
  }
  for (CoverSize& size : sizes) {
    size.best_ns = kTooSlow;
    size.best_of_all_ns = kTooSlow;
    for (std::size_t c = 0; c < configurations.size(); ++c) {
      if (!excluded_[c]) size.best_ns = std::min(size.best_ns, size.times_ns[c].value_or(kTooSlow));
      size.best_of_all_ns = std::min(size.best_of_all_ns, size.all_times_ns[c].value_or(kTooSlow));
    }
  }
}

bool CoverTable::is_excluded(std::size_t configuration) const { return excluded_[configuration]; }

std::size_t CoverTable::excluded_count() const {
  return static_cast<std::size_t>(std::count(excluded_.begin(), excluded_.end(), true));
}

std::vector<std::size_t> CoverTable::sizes_to_answer() const {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (!sizes[s].held_back && std::isfinite(sizes[s].best_ns)) found.push_back(s);
  }
  return found;
}

std::size_t CoverTable::taking_part() const {
  return static_cast<std::size_t>(std::ranges::count(sizes, false, &CoverSize::held_back));
}

double CoverTable::loss_against_all(std::size_t configuration, std::size_t size) const {
  return std::max(sizes[size].timed_ns[configuration].value() / sizes[size].best_of_all_ns - 1.0, 0.0);
}

std::optional<double> CoverTable::estimated_loss(std::size_t configuration, std::size_t size) const {
  const std::optional<double> known = loss(configuration, size);
  const CoverSize& at = sizes[size];
  if (excluded_[configuration] || (known && std::isfinite(*known)) || !at.timed_ns[configuration])
    return known;
  if (at.best_ns == kTooSlow || at.outputs[configuration] == OutputsKnown::kUnmet) return known;
  return std::max(*at.timed_ns[configuration] / at.best_ns - 1.0, 0.0);
}

std::optional<double> CoverTable::loss(std::size_t configuration, std::size_t size) const {
  const CoverSize& at = sizes[size];
  if (excluded_[configuration]) return kTooSlow;
  const std::optional<double>& time_ns = at.times_ns[configuration];
  if (!time_ns || at.best_ns == kTooSlow) return std::nullopt;
  return *time_ns / at.best_ns - 1.0;
}

}  // namespace warptune::tuner::covers
