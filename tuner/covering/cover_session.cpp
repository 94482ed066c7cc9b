// Measures covers with tuning sessions, one for each size and step.
#include "tuner/covering/cover_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tuner/covers/cover_note.h"
#include "tuner/covers/stored_cover.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/workload.h"
#include "tuner/session/finals/demanded_outputs.h"
#include "tuner/session/tuning.h"

namespace warptune::tuner::covering {

namespace {

// What is stored as the purpose of a session that only measures named configurations.
constexpr const char* kPurpose = "cover";

void require_sizes_of(const kernel_templates::KernelDefinition& definition, const covers::SizeRange& range,
                      const model::NamedValues& others) {
  std::vector<std::string> known;
  for (const auto& [name, value] : definition.problem) {
    if (model::type_of(value) == model::ValueType::kInteger) known.push_back(name);
  }
  for (const covers::SizeEntry& entry : range.entries) {
    if (!base::contains(known, entry.name))
      throw base::InputError(fmt::format("--sizes: {} has no size '{}'{}", definition.name, entry.name,
                                         base::did_you_mean(entry.name, known)));
    if (model::find(others, entry.name) != nullptr)
      throw base::InputError(
          fmt::format("--size {}: --sizes already says which values {} has", entry.name, entry.name));
  }
}

bool is_of(const covers::StoredCover& stored, const CoverGoal& goal) {
  const auto text_of = [](const std::optional<model::outputs::Reproducibility>& demanded) {
    return demanded ? demanded->text : "";
  };
  return stored.range.text() == goal.range.text() && stored.limits.loss_share == goal.limit_share &&
         stored.limits.max_configurations == goal.max_configurations &&
         text_of(stored.table.demanded) == text_of(goal.reproducible);
}

class CoverMeasurer {
 public:
  CoverMeasurer(const CoverRequest& request, session::SessionListener& listener,
                const base::Cancellation& cancellation)
      : request_(request), listener_(listener), cancellation_(cancellation) {}

  SizeRows measure(const SizeTask& task) {
    SizeRows rows;
    try {
      const session::TuningOutcome outcome =
          session::Tuning(tuning_request(task)).run(0, listener_, cancellation_);
      rows.evaluated = outcome.result.progress.evaluated;
      rows.interrupted = outcome.result.interrupted;
      if (outcome.failed_cases > 0) throw session::failed_cases_error(outcome.failed_cases);
      const db::Store store = knowledge::open_database(request_.database);
      const session::SessionPlan& plan = outcome.plan;
      rows.rows = covers::judged_rows(store, plan.workload, plan.default_configuration, plan.reproducible);
      const bool any_met = std::ranges::any_of(
          rows.rows, [](const auto& row) { return row.outputs == covers::OutputsKnown::kMet; });
      if (plan.reproducible && !any_met && !rows.interrupted)
        rows.failure = session::finals::nothing_met_text(*plan.reproducible, outcome.result.passed_over);
    } catch (const base::InputError& error) {
      rows.failure = error.message();
    } catch (const base::WorkError& error) {
      rows.failure = error.message();
    }
    return rows;
  }

 private:
  session::TuningRequest tuning_request(const SizeTask& task) const {
    const covers::SizeRange& range = request_.goal.range;
    session::TuningRequest request;
    request.kernel = request_.kernel;
    request.sizes = request_.sizes;
    for (const auto& size : range.values_of(task.at.size)) request.sizes.push_back(size);
    request.permissions = request_.permissions;
    request.devices = {false, {request_.device}};
    request.search.budget = task.searches ? task.budget : session::Budget::parse("all");
    request.search.seed = request_.goal.seed;
    request.search.named = task.named;
    const std::optional<model::outputs::Reproducibility>& demanded = request_.goal.reproducible;
    request.search.part_of = covers::to_text(
        covers::CoverNote{request_.goal.limit_share, task.at.weight, task.held_back, range.text(),
                          demanded ? demanded->text : "", request_.goal.max_configurations});
    request.search.reproducible = demanded;
    if (demanded) request.search.compared_named = task.named.size();
    if (!task.searches) {
      request.search.strategy = "random";
      request.search.purpose = kPurpose;
      request.search.transfer = false;
    }
    request.search.fresh = !task.searches || task.held_back;
    request.measuring = request_.measuring;
    request.measuring.count = false;
    request.compile_workers = request_.compile_workers;
    request.timeout = request_.timeout;
    request.database = request_.database;
    request.measure_only = true;
    return request;
  }

  const CoverRequest& request_;
  session::SessionListener& listener_;
  const base::Cancellation& cancellation_;
};

model::GpuDescription gpu_of(const CoverRequest& request) {
  const profiling::GpuList list = gpus::list_local_gpus();
  if (list.gpus.empty())
    throw base::MachineError(fmt::format("no GPU: {}", list.reason), "cover needs a GPU");
  const std::vector<int> chosen = gpus::DeviceChoice{false, {request.device}}.resolve(list.gpus.size());
  return list.gpus[static_cast<std::size_t>(chosen.front())];
}

}  // namespace

CoverResult cover_sizes(const CoverRequest& request, session::SessionListener& listener,
                        const std::function<void(const CoverProgress&)>& on_progress,
                        const base::Cancellation& cancellation) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(request.kernel, request.permissions);
  require_sizes_of(definition, request.goal.range, request.sizes);
  const kernel_templates::KernelInstance instance(definition, request.sizes, gpu_of(request));
  CoverResult result;
  result.workload = knowledge::workload_of(instance, request.measuring.cache);
  {
    const db::Store store = knowledge::open_session_database(request.database);
    for (covers::StoredCover& stored : covers::stored_covers(store, result.workload, definition)) {
      if (!is_of(stored, request.goal)) continue;
      result.table = std::move(stored.table);
      result.earlier_evaluations = stored.evaluations;
      break;
    }
  }
  if (!result.table.shape)
    result.table.shape = std::make_shared<covers::LaunchShape>(definition, request.goal.range,
                                                               result.workload.problem, result.workload.gpu);
  CoverMeasurer measurer(request, listener, cancellation);
  const auto began = std::chrono::steady_clock::now();
  result.outcome = search_cover(
      request.goal, result.table, result.earlier_evaluations,
      [&measurer](const SizeTask& task) { return measurer.measure(task); },
      [began] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(); },
      on_progress);
  return result;
}

}  // namespace warptune::tuner::covering
