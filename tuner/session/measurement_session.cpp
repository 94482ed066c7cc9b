#include "tuner/session/measurement_session.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "kernel_templates/inspection/entry_findings.h"
#include "tuner/gpus/device_choice.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::session {

std::optional<int> find_device(const profiling::GpuList& list, std::optional<int> device,
                               const model::GpuDescription& wanted) {
  if (device) {
    const int chosen = gpus::DeviceChoice{false, {*device}}.resolve(list.gpus.size()).front();
    if (list.gpus[static_cast<std::size_t>(chosen)].key() == wanted.key()) return chosen;
    throw base::InputError(fmt::format("--device {}: this GPU is not a {}; also give its model with --gpu",
                                       chosen, wanted.name));
  }
  for (std::size_t i = 0; i < list.gpus.size(); ++i) {
    if (list.gpus[i].key() == wanted.key()) return static_cast<int>(i);
  }
  return std::nullopt;
}

MeasurementSession::MeasurementSession(const MeasurementRequest& request,
                                       const kernel_templates::KernelInstance& instance,
                                       const std::string& purpose, int ordinal, gpus::LocalGpus& gpus,
                                       SessionListener& listener, const base::Cancellation& cancellation)
    : turn_({ordinal}, cancellation) {
  if (cancellation.is_cancelled()) return;
  kernel_templates::inspection::require_entries(instance.definition());
  workers::ProcessEvaluatorOptions options;
  options.measuring = request.measuring;
  options.measuring.thorough = true;
  options.compile_workers = request.compile_workers;
  options.timeout = request.timeout;
  options.cancellation = &cancellation;
  options.ordinals = {ordinal};
  options.roofs = gpus::stored_roofs(request.database, instance.gpu());
  evaluator_ = std::make_unique<workers::ProcessEvaluator>(instance, options, &gpus);
  store_ = std::make_unique<db::Store>(knowledge::open_session_database(request.database));
  db::Session session;
  session.workload = knowledge::workload_of(instance, request.measuring.cache);
  session.work = instance.work();
  session.strategy = purpose;
  session.seed = request.measuring.seed;
  session.space_size = instance.space().size();
  session.default_configuration = instance.default_configuration();
  runner_ = std::make_unique<ConfigurationRunner>(
      std::move(session), request.budget, *evaluator_, *store_, listener, cancellation,
      profiling::verification::declared_work(instance.definition(), instance.problem(), instance.work()));
}

}  // namespace warptune::tuner::session
