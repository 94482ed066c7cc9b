#include "profiling/verification/finalist_errors.h"

#include <cmath>
#include <optional>

#include "model/median.h"
#include "model/own_metrics.h"
#include "profiling/diagnosis/metric_names.h"

namespace warptune::profiling::verification {

namespace {

constexpr double kManyTimes = 10.0;

std::optional<double> error_of(const timing::FinalistTiming& finalist, const char* name) {
  const auto found = finalist.errors.find(name);
  return found == finalist.errors.end() || finalist.fault ? std::nullopt : std::optional(found->second);
}

}  // namespace

std::vector<ImpreciseFinalist> imprecise_finalists(const std::vector<timing::FinalistTiming>& finalists) {
  std::vector<ImpreciseFinalist> imprecise;
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    const std::optional<double> error = error_of(finalists[i], model::own_metric::kErrorMaxAbsolute);
    if (!error || !(error_of(finalists[i], model::own_metric::kErrorMaxUlp).value_or(0.0) > 1.0)) continue;
    std::vector<double> others;
    for (std::size_t j = 0; j < finalists.size(); ++j) {
      const std::optional<double> other = error_of(finalists[j], model::own_metric::kErrorMaxAbsolute);
      if (j != i && other) others.push_back(*other);
    }
    const std::optional<double> median = model::median_of(std::move(others));
    if (median && *error > 0.0 && *error >= kManyTimes * *median) imprecise.push_back({i, *error, *median});
  }
  return imprecise;
}

void keep_largest_errors(model::Counters& errors, const model::Counters& more) {
  for (const auto& [name, error] : more) {
    const auto [kept, is_new] = errors.emplace(name, error);
    if (!is_new && (std::isnan(error) || error > kept->second)) kept->second = error;
  }
}

}  // namespace warptune::profiling::verification
