#include "tuner/session/recording_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/error.h"
#include "model/own_metrics.h"
#include "model/size_text.h"

namespace warptune::tuner::session {

namespace fs = std::filesystem;

namespace {

// A counter that the request names and the recording lacks. Empty if there is none.
std::string missing_counter(const model::Recording& recording, const profiling::MeasuringOptions& measuring) {
  std::set<std::string_view> known;
  for (const model::Measurement& row : recording.measurements) {
    for (const auto& [name, value] : row.counters) known.insert(name);
  }
  for (const std::string& name : measuring.metrics) {
    if (!known.contains(name)) return name;
  }
  const bool lacks_energy = measuring.measure_energy && !known.contains(model::own_metric::kEnergyJ);
  return lacks_energy ? std::string(model::own_metric::kEnergyJ) : "";
}

}  // namespace

std::string why_not_held(const model::Recording& recording, const TuningRequest& request,
                         const kernel_templates::KernelInstance& instance) {
  const model::Workload& recorded = recording.workload;
  if (recorded.kernel != instance.definition().name || recorded.kernel_hash != instance.definition().hash)
    return "belongs to another source of the kernel";
  if (model::key_of(recorded.problem) != model::key_of(instance.problem()) ||
      recorded.cache != request.measuring.cache)
    return fmt::format("holds {} from {}", model::to_text(recorded.problem), model::l2_text(recorded.cache));
  if (request.devices != gpus::DeviceChoice()) return "cannot be replayed on GPUs that --device names";
  if (const std::string counter = missing_counter(recording, request.measuring); !counter.empty())
    return fmt::format("lacks {}, which --metrics or --objective asks for", counter);
  if (request.search.reproducible) return "has no outputs, which --reproducible compares";
  const bool dropped =
      std::any_of(recording.measurements.begin(), recording.measurements.end(),
                  [](const model::Measurement& row) { return row.status == model::Status::kDropped; });
  return dropped && request.measuring.thorough
             ? "has times of dropped configurations, which --thorough measures completely"
             : "";
}

void require_recording_fits(const TuningRequest& request, const std::string& kernel, const fs::path& file,
                            const model::Workload& recorded) {
  if (recorded.kernel != kernel) {
    throw base::InputError(fmt::format("the recording {} is one of the kernel {}, not of {}", file.string(),
                                       recorded.kernel, kernel));
  }
  if (request.cache_is_named && request.measuring.cache != recorded.cache) {
    throw base::InputError(
        fmt::format("the recording {} was measured with a {} cache; a replay cannot change it", file.string(),
                    model::to_string(recorded.cache)));
  }
  for (const auto& [name, value] : request.sizes) {
    const model::Value* known = model::find(recorded.problem, name);
    if (known == nullptr || !model::is_size(value, *known)) {
      throw base::InputError(fmt::format("the recording {} was measured for {}; a replay cannot change sizes",
                                         file.string(), model::to_text(recorded.problem)));
    }
  }
}

void require_measured_demand(const TuningRequest& request) {
  if (!request.search.reproducible) return;
  if (request.recording) {
    throw base::InputError(
        "--reproducible compares the outputs of launches, and a recording has no outputs: give it without "
        "--replay");
  }
  if (!request.search.objective.is_time_like()) {
    throw base::InputError(fmt::format(
        "--reproducible compares outputs in the final rounds, and --objective {} has none: give an objective "
        "of the time and resources alone",
        request.search.objective.text()));
  }
}

void require_default_to_compare(const SessionPlan& plan) {
  using Demand = model::outputs::Reproducibility::Demand;
  if (!plan.reproducible || plan.reproducible->demand != Demand::kBits) return;
  if (!plan.default_configuration.empty()) return;
  throw base::InputError(
      fmt::format("--reproducible=bits compares with the default configuration, and {} {} has none: give "
                  "--reproducible=runs",
                  plan.workload.kernel, model::to_text(plan.workload.problem)));
}

}  // namespace warptune::tuner::session
