// Finds the stored winners that can be measured again on a GPU of this machine.
#include "tuner/rechecking/recheck_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "tuner/gpus/device_choice.h"
#include "tuner/knowledge/known_winners.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/reproducible_winners.h"

namespace warptune::tuner::rechecking {

namespace {

using kernel_templates::KernelDefinition;

struct Named {
  std::string name;  ///< As requested.
  KernelDefinition definition;
};

bool has_sizes(const model::NamedValues& problem, const model::NamedValues& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [&](const auto& wanted) {
    const model::Value* found = model::find(problem, wanted.first);
    return found != nullptr && *found == wanted.second;
  });
}

std::optional<model::TimeSummary> time_of(const model::Measurement& row) {
  if (row.status != model::Status::kMeasured || row.source != model::RowSource::kMeasured) return {};
  return row.time;
}

bool is_listed(const std::vector<RecheckedRow>& rows, const model::NamedValues& configuration) {
  return std::any_of(rows.begin(), rows.end(), [&](const RecheckedRow& row) {
    return model::key_of(row.configuration) == model::key_of(configuration);
  });
}

// Leaves out rows that are known not to meet what is demanded of the outputs.
void add_rivals(const RecheckRequest& request, const db::Store& store,
                const kernel_templates::KernelInstance& instance, PlannedRecheck& planned) {
  using Kind = model::outputs::ReproducibilityVerdict::Kind;
  const db::Winner& winner = planned.winner;
  const model::Objective time;
  std::optional<db::StoredMeasurement> usual;
  if (request.reproducible && !instance.default_configuration().empty())
    usual = store.latest_measurement(winner.workload, instance.default_configuration());
  const auto is_unmet = [&](const model::Measurement& row) {
    return request.reproducible &&
           model::outputs::judge(*request.reproducible, row, usual ? &usual->measurement : nullptr).kind ==
               Kind::kUnmet;
  };
  for (const db::RankedId& ranked : store.ranked_ids(winner.workload, time)) {
    if (planned.rows.size() > request.rivals || ranked.source != model::RowSource::kMeasured ||
        ranked.value > kRivalRatio * winner.best.time->median_ns)
      return;
    const std::optional<db::StoredMeasurement> row = store.ranked_row(ranked, time);
    if (row && !is_listed(planned.rows, row->measurement.configuration) && !is_unmet(row->measurement) &&
        knowledge::fitting_configuration(instance, row->measurement.configuration))
      planned.rows.push_back({row->measurement.configuration, row->measurement.time, {}});
  }
}

void add_default(const db::Store& store, const model::NamedValues& configuration, PlannedRecheck& planned) {
  if (configuration.empty() || is_listed(planned.rows, configuration)) return;
  const auto row = store.latest_measurement(planned.winner.workload, configuration);
  planned.rows.push_back({configuration, row ? time_of(row->measurement) : std::nullopt, {}});
}

bool is_on(const db::Winner& winner, const model::GpuDescription& gpu) {
  return winner.best.source == model::RowSource::kMeasured && winner.workload.gpu.key() == gpu.key();
}

// Whether a winner belongs to an earlier version of the kernel, and one of the present version answers
// instead.
bool is_replaced(const db::Winner& old, const std::vector<db::Winner>& winners, const std::string& hash) {
  if (old.workload.kernel_hash == hash) return false;
  return std::any_of(winners.begin(), winners.end(), [&](const db::Winner& one) {
    return one.best.source == model::RowSource::kMeasured && one.workload.kernel_hash == hash &&
           one.workload.cache == old.workload.cache && one.workload.gpu.key() == old.workload.gpu.key() &&
           model::key_of(one.workload.problem) == model::key_of(old.workload.problem);
  });
}

// Why a winner cannot be measured again, or its plan.
base::Result<PlannedRecheck> planned_for(const RecheckRequest& request, const db::Store& store,
                                         const Named& kernel, const model::GpuDescription& gpu,
                                         db::Winner winner) {
  const model::Workload& workload = winner.workload;
  if (workload.kernel_hash != kernel.definition.hash)
    return base::failure(std::string("of another version of the kernel's source"));
  if (workload.gpu.key() != gpu.key())
    return base::failure(fmt::format("on another GPU ({})", workload.gpu.name));
  if (winner.best.source != model::RowSource::kMeasured)
    return base::failure(fmt::format("{}, not measured", model::to_string(winner.best.source)));
  try {
    const kernel_templates::KernelInstance instance(kernel.definition, workload.problem, gpu);
    if (request.reproducible) {
      knowledge::ReproducibleWinner chosen = knowledge::reproducible_winner(
          winner, store, instance.default_configuration(), model::Objective(), *request.reproducible);
      if (!chosen.winner) return base::failure("without a row that " + request.reproducible->sentence());
      winner = *std::move(chosen.winner);
    }
    if (const auto chosen = knowledge::fitting_configuration(instance, winner.best.configuration); !chosen)
      return base::failure(fmt::format("of a configuration that is not in the space: {}", chosen.error()));
    PlannedRecheck planned{kernel.name, std::move(winner), {}};
    planned.rows.push_back({planned.winner.best.configuration, planned.winner.best.time, {}});
    add_rivals(request, store, instance, planned);
    add_default(store, instance.default_configuration(), planned);
    return planned;
  } catch (const base::InputError& error) {
    return base::failure(fmt::format("of a problem that the definition refuses: {}", error.message()));
  }
}

std::vector<Named> named_kernels(const RecheckRequest& request) {
  std::vector<Named> kernels;
  for (const std::string& name : request.kernels)
    kernels.push_back({name, kernel_templates::load_kernel(name, request.permissions)});
  return kernels;
}

// The shipped kernels that the database has winners of. Those of other kernels are skipped.
std::vector<Named> stored_kernels(const RecheckRequest& request, const db::Store& store, RecheckPlan& plan) {
  const std::vector<std::string> shipped = kernel_templates::shipped_kernels();
  std::set<std::string> names;
  std::set<std::string> others;
  for (const model::Workload& workload : store.workloads())
    (base::contains(shipped, workload.kernel) ? names : others).insert(workload.kernel);
  for (const std::string& name : others) {
    for (db::Winner& winner : store.winners(name, "")) {
      if (!has_sizes(winner.workload.problem, request.sizes)) continue;
      const bool fails_ci = is_on(winner, plan.gpu);
      plan.skipped.push_back({std::move(winner.workload),
                              "of a kernel that is not shipped (name the file of its definition)", fails_ci});
    }
  }
  std::vector<Named> kernels;
  kernels.reserve(names.size());
  for (const std::string& name : names)
    kernels.push_back({name, kernel_templates::load_kernel(name, request.permissions)});
  return kernels;
}

}  // namespace

RecheckPlan plan_recheck(const RecheckRequest& request, const gpus::GpuLister& list_gpus) {
  std::vector<Named> kernels = named_kernels(request);
  RecheckPlan plan;
  const db::Store store = knowledge::open_database(request.database);
  const profiling::GpuList list = list_gpus();
  if (list.gpus.empty())
    throw base::MachineError(fmt::format("no GPU: {}", list.reason), "run this on a machine with a GPU");
  const int ordinal = gpus::DeviceChoice{false, {request.device}}.resolve(list.gpus.size()).front();
  plan.gpu = list.gpus[static_cast<std::size_t>(ordinal)];
  if (request.kernels.empty()) kernels = stored_kernels(request, store, plan);
  for (const Named& kernel : kernels) {
    const std::size_t before = plan.workloads.size();
    const std::vector<db::Winner> winners = store.winners(kernel.definition.name, "");
    for (const db::Winner& winner : winners) {
      if (!has_sizes(winner.workload.problem, request.sizes)) continue;
      base::Result<PlannedRecheck> planned = planned_for(request, store, kernel, plan.gpu, winner);
      if (planned) {
        plan.workloads.push_back(*std::move(planned));
      } else {
        const bool fails_ci =
            is_on(winner, plan.gpu) && !is_replaced(winner, winners, kernel.definition.hash);
        plan.skipped.push_back({winner.workload, planned.error(), fails_ci});
      }
    }
    if (!request.kernels.empty() && plan.workloads.size() == before)
      plan.without_winner.push_back(kernel.name);
  }
  return plan;
}

std::string skipped_text(const std::vector<SkippedWorkload>& skipped) {
  std::map<std::string, std::size_t> counts;
  for (const SkippedWorkload& one : skipped) ++counts[one.reason];
  std::string text;
  for (const auto& [reason, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, reason);
  return text;
}

std::string unchecked_text(const RecheckPlan& plan) {
  std::vector<SkippedWorkload> needed;
  std::copy_if(plan.skipped.begin(), plan.skipped.end(), std::back_inserter(needed),
               [](const SkippedWorkload& one) { return one.fails_ci; });
  std::string text;
  if (!needed.empty()) {
    text = fmt::format("{} of this GPU {} not measured again: {}\n", base::counted(needed.size(), "winner"),
                       needed.size() == 1 ? "was" : "were", skipped_text(needed));
  }
  for (const std::string& kernel : plan.without_winner)
    text += fmt::format("{}: the database has no winner of this GPU that can be measured again\n", kernel);
  return text;
}

}  // namespace warptune::tuner::rechecking
