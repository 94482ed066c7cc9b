#include "tests/tuner/exporting/recorded_export.h"

#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.h"
#include "db/recording_file.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tuner/exporting/exported_recommendations.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/shipped_recordings.h"

namespace warptune::tuner::exporting {

namespace {

KernelExport with_recommendations(KernelExport exported) {
  add_recommendations(exported.input, exported.definition);
  return exported;
}

}  // namespace

KernelExport export_of(const kernel_templates::KernelDefinition& definition, db::Winner winner) {
  return {{definition.name,
           definition.hash,
           definition.parameters,
           definition.constraints,
           definition.problem,
           definition.default_configuration,
           {std::move(winner)},
           kernel_templates::is_checked(definition)},
          definition};
}

KernelExport default_export(const std::string& kernel, const model::GpuDescription& gpu,
                            const model::NamedValues& problem) {
  kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(kernel);
  db::Winner winner;
  winner.workload = {definition.name, definition.hash,
                     kernel_templates::KernelInstance(definition, problem, gpu).problem(), gpu};
  winner.best.status = model::Status::kMeasured;
  winner.best.configuration = definition.default_configuration;
  winner.best.time = {1000.0, 1000.0, 1000.0};
  return with_recommendations(export_of(definition, std::move(winner)));
}

KernelExport recorded_export(const std::string& kernel) {
  const std::vector<std::filesystem::path> files = knowledge::shipped_recordings(kernel);
  if (files.empty()) throw base::InputError("no recording of " + kernel);
  // A row of an earlier version is exported only under the present hash.
  const model::Recording recording = knowledge::with_present_names(db::read_recording(files.front()));
  const model::Measurement* best = nullptr;
  for (const model::Measurement& row : recording.measurements) {
    if (row.status != model::Status::kMeasured) continue;
    if (best == nullptr || row.time->median_ns < best->time->median_ns) best = &row;
  }
  if (best == nullptr) throw base::InputError("the recording of " + kernel + " has no measurement");
  db::Winner winner;
  winner.workload = recording.workload;
  winner.best = *best;
  winner.best.source = model::RowSource::kReplayed;
  winner.environment = recording.environment;
  winner.work = recording.work;
  winner.roofs = recording.roofs;
  return with_recommendations(export_of(kernel_templates::load_kernel(kernel), std::move(winner)));
}

}  // namespace warptune::tuner::exporting
