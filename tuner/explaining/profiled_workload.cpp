#include "tuner/explaining/profiled_workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/library.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/knowledge/shipped_recordings.h"
#include "tuner/knowledge/workload.h"
#include "tuner/session/named_configuration.h"

namespace warptune::tuner::explaining {

using kernel_templates::KernelInstance;
using model::NamedValues;

namespace {

knowledge::KnownRows shipped_rows(const kernel_templates::KernelDefinition& definition,
                                  const ProfileRequest& request, const std::string& reason,
                                  const gpus::GpuLister& lister, session::SessionListener& listener) {
  const std::vector<std::filesystem::path> recordings = knowledge::shipped_recordings(definition.name);
  // A wrong definition or size is reported even on a machine without a GPU.
  const KernelInstance checked(definition, request.workload.sizes, model::fictional_gpu());
  if (recordings.empty())
    throw base::MachineError(fmt::format("no GPU: {}", reason), "run this on a machine with a GPU");
  listener.on_event(session::RecordingShownInstead{reason, recordings.front().filename().string()});
  knowledge::WorkloadQuestion question = request.workload;
  question.kernel = recordings.front().string();
  return knowledge::load_known_rows(question, lister, gpus::recognise_local_gpu);
}

}  // namespace

ChosenConfiguration choose_configuration(const ProfileRequest& request, const knowledge::KnownRows& known) {
  const model::Recording& recording = known.recording;
  ChosenConfiguration choice{recording.default_configuration, "the default"};
  if (!request.from_default && !known.best.empty())
    choice = {known.best, fmt::format("the best of {} known", recording.measurements.size())};
  const NamedValues& changes = request.changes;
  if (choice.configuration.empty() && changes.empty()) {
    throw base::InputError(
        fmt::format("{} has no default{}: name a configuration with --set NAME=VALUE ...{}",
                    recording.workload.kernel, known.best.empty() ? " and no complete measurement" : "",
                    known.best.empty() ? "" : ", or omit --default"));
  }
  if (changes.empty()) return choice;
  if (!choice.configuration.empty()) choice.which += fmt::format(" with {}", model::to_text(changes));
  if (choice.configuration.empty()) choice.which = "as given";
  choice.configuration = session::with_changes(std::move(choice.configuration), changes);
  session::require_valid(known.instance ? known.instance->space() : recording.space(), choice.configuration,
                         "set");
  return choice;
}

knowledge::KnownRows find_profiled_workload(const ProfileRequest& request, gpus::LocalGpus& local,
                                            session::SessionListener& listener) {
  const gpus::GpuLister lister = [&local] { return local.list(); };
  const knowledge::WorkloadQuestion& question = request.workload;
  if (knowledge::names_recording(question.kernel))
    return knowledge::require_known_rows(question, lister, gpus::recognise_local_gpu);
  if (question.gpu || std::filesystem::exists(knowledge::database_path(question.database)))
    return knowledge::load_known_rows(question, lister, gpus::recognise_local_gpu);
  const profiling::GpuList& list = local.list();
  kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(question.kernel, question.permissions);
  if (list.gpus.empty() && question.database)
    return knowledge::load_known_rows(
        question, lister,
        gpus::recognise_local_gpu);  // It throws an error that says what is missing.
  kernel_templates::log_warnings_of(definition);
  if (list.gpus.empty()) return shipped_rows(definition, request, list.reason, lister, listener);
  const auto ordinal = static_cast<std::size_t>(request.measurement.device.value_or(0));
  knowledge::KnownRows known;
  known.instance = std::make_unique<KernelInstance>(std::move(definition), question.sizes,
                                                    list.gpus[std::min(ordinal, list.gpus.size() - 1)]);
  knowledge::describe_workload(known.recording, *known.instance,
                               question.cache.value_or(model::CacheState::kCold));
  known.origin = "this machine's GPU";
  return known;
}

}  // namespace warptune::tuner::explaining
