#include "db/formats/exported_winners.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "base/error.h"
#include "base/text.h"
#include "db/confirmation.h"
#include "db/recordings/values_json.h"

namespace warptune::db::formats {

namespace {

auto export_order(const Winner& winner) {
  const model::GpuDescription& gpu = winner.workload.gpu;
  return std::tuple(gpu.name, gpu.key(), recordings::canonical_key(winner.workload.problem),
                    model::median_ns_of(winner.best), recordings::canonical_key(winner.best.configuration),
                    winner.session_id);
}

// `12.3 us [12.2 us, 12.4 us]`: the median with its interval.
std::string time_text(const model::Measurement& measurement) {
  return fmt::format("{} [{}, {}]", base::format_time_ns(model::median_ns_of(measurement)),
                     base::format_time_ns(model::low_ns_of(measurement)),
                     base::format_time_ns(model::high_ns_of(measurement)));
}

bool same_workload(const Winner* a, const Winner* b) {
  return a->workload.gpu.key() == b->workload.gpu.key() &&
         recordings::canonical_key(a->workload.problem) == recordings::canonical_key(b->workload.problem);
}

}  // namespace

std::vector<const Winner*> exportable(const ExportInput& kernel) {
  std::vector<const Winner*> rows;
  for (const Winner& winner : kernel.winners) {
    const bool same_kernel = winner.workload.kernel_hash == kernel.kernel_hash;
    const bool ranks = winner.best.status == model::Status::kMeasured && winner.best.time &&
                       std::isfinite(winner.best.time->median_ns);
    if (same_kernel && ranks) rows.push_back(&winner);
  }
  // The first sort puts rows with the same GPU key and problem side by side, even if the GPU has two names.
  // Only the first of them is kept. Rows of a cold cache come before those of a warm one, and those
  // of a better source before faster ones.
  std::sort(rows.begin(), rows.end(), [](const Winner* a, const Winner* b) {
    const auto key = [](const Winner* winner) {
      return std::tuple(winner->workload.gpu.key(), recordings::canonical_key(winner->workload.problem),
                        winner->workload.cache, winner->best.source, model::median_ns_of(winner->best),
                        export_order(*winner));
    };
    return key(a) < key(b);
  });
  rows.erase(std::unique(rows.begin(), rows.end(), same_workload), rows.end());
  std::sort(rows.begin(), rows.end(),
            [](const Winner* a, const Winner* b) { return export_order(*a) < export_order(*b); });
  return rows;
}

bool is_unconfirmed(const model::Measurement& best) {
  return best.source == model::RowSource::kMeasured && !db::is_confirmed(best);
}

std::string evidence(const Winner& winner, bool has_check) {
  const std::optional<double> median_ns = model::median_ns_of(winner.best);
  std::string text = fmt::format("{}, {}: median {}", winner.workload.gpu.name,
                                 model::to_text(winner.workload.problem), time_text(winner.best));
  if (winner.default_measurement && winner.default_measurement->time && median_ns > 0.0) {
    text +=
        fmt::format(", {:.2f}x the default ({})", winner.default_measurement->time->median_ns / *median_ns,
                    time_text(*winner.default_measurement));
  }
  const std::optional<double> roof_ns = model::roof_time_ns(winner.work, winner.roofs);
  if (roof_ns && median_ns > 0.0) {
    text += fmt::format(", {:.1f} % of the {} roof", 100.0 * *roof_ns / *median_ns,
                        model::to_string(model::binding_roof(winner.work, winner.roofs)));
  }
  if (winner.workload.cache != model::CacheState::kCold)
    text += fmt::format(", from {}", model::l2_text(winner.workload.cache));
  if (winner.portable_loss)
    text += fmt::format(", chosen for several GPUs, {:.1f} % above the best of this one",
                        100.0 * *winner.portable_loss);
  if (winner.best.source == model::RowSource::kReplayed) text += ", replayed from a recording";
  if (winner.best.source == model::RowSource::kImported) text += ", imported from a file, not verified";
  text += fmt::format(", {} of {} evaluations measured, driver {}, NVRTC {}, warptune {}", winner.measured,
                      winner.evaluated, model::driver_text(winner.environment),
                      model::cuda_version_text(winner.environment.nvrtc_version),
                      winner.environment.warptune_version);
  if (!has_check) text += ", results not compared with a reference";
  if (has_check && is_unconfirmed(winner.best)) text += ", not confirmed on new inputs";
  return text;
}

std::string distinction(const ExportInput& kernel, const std::vector<ExportInput>& all) {
  constexpr std::size_t kShown = 8;
  const bool shared = std::any_of(all.begin(), all.end(), [&](const ExportInput& other) {
    return other.kernel == kernel.kernel && other.kernel_hash != kernel.kernel_hash;
  });
  return shared ? kernel.kernel_hash.substr(0, kShown) : "";
}

std::vector<model::Value> in_order(const ExportInput& kernel, const model::NamedValues& configuration) {
  std::vector<model::Value> values;
  for (const model::Parameter& parameter : kernel.parameters) {
    const model::Value* value = model::find(configuration, parameter.name);
    if (value == nullptr) {
      throw base::InputError(fmt::format(
          "kernel {}: a configuration cannot be exported because it has no value of parameter {}: '{}'",
          kernel.kernel, parameter.name, model::to_text(configuration)));
    }
    values.push_back(*value);
  }
  return values;
}

}  // namespace warptune::db::formats
