#include "tuner/knowledge/known_winners.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/random.h"

namespace warptune::tuner::knowledge {

std::string note_of_other_source(const db::Store& store,
                                 const kernel_templates::KernelDefinition& definition) {
  const std::vector<db::Winner> any = store.winners(definition.name, "");
  const bool other_source = std::any_of(any.begin(), any.end(), [&](const db::Winner& winner) {
    return winner.workload.kernel_hash != definition.hash;
  });
  return other_source
             ? " (there are measurements of another version of its source; `warptune db carry` keeps them "
               "if its code is the same)"
             : "";
}

base::Result<model::Configuration> fitting_configuration(const kernel_templates::KernelInstance& instance,
                                                         const model::NamedValues& values) {
  base::Result<model::Configuration> chosen = instance.space().configuration_of(values);
  if (!chosen) return chosen;
  if (std::optional<std::string> broken = instance.space().broken_constraint(*chosen))
    return base::failure(*std::move(broken));
  return chosen;
}

std::optional<std::string> why_invalid_for(const kernel_templates::KernelInstance& instance,
                                           const model::NamedValues& configuration,
                                           const model::Measurement& evidence) {
  const base::Result<model::Configuration> chosen = fitting_configuration(instance, configuration);
  if (!chosen) return chosen.error();
  if (!instance.space().contains(*chosen)) return "it is not in the space";
  if (const auto plan = instance.screened_plan(configuration); !plan) return plan.error().reason;
  const model::ResourceUse& use = evidence.resources;
  const model::GpuDescription& gpu = instance.gpu();
  const std::int64_t shared_bytes = use.static_shared_bytes + use.dynamic_shared_bytes;
  if (shared_bytes > gpu.shared_bytes_per_block_optin) {
    return fmt::format("it needs {} bytes of shared memory per block, and the GPU has {}", shared_bytes,
                       gpu.shared_bytes_per_block_optin);
  }
  const std::int64_t registers = use.registers_per_thread * use.threads_per_block;
  if (registers > gpu.registers_per_sm)
    return fmt::format("it needs {} registers per block, and an SM has {}", registers, gpu.registers_per_sm);
  return std::nullopt;
}

std::optional<db::Winner> winner_with_row(const db::Winner& winner, const db::StoredMeasurement& row,
                                          const db::Store& store) {
  const std::optional<db::Session> session = store.session(row.session_id);
  if (!session) return std::nullopt;
  db::Winner other = winner;
  other.best = row.measurement;
  other.environment = session->environment;
  other.work = session->work;
  other.roofs = session->roofs;
  other.session_id = session->id;
  return other;
}

std::optional<model::Measurement> valid_row_for(const kernel_templates::KernelInstance& instance,
                                                const db::Store& store, const model::Workload& workload,
                                                const model::Objective& objective) {
  for (const db::RankedId& ranked : store.ranked_ids(workload, objective)) {
    std::optional<db::StoredMeasurement> row = store.ranked_row(ranked, objective);
    if (row && !why_invalid_for(instance, row->measurement.configuration, row->measurement))
      return std::move(row->measurement);
  }
  return std::nullopt;
}

std::optional<double> measured_loss(const model::NamedValues& configuration, const db::Winner& winner,
                                    const model::Objective& objective, const db::Store& store) {
  const std::optional<db::StoredMeasurement> row = store.latest_measurement(winner.workload, configuration);
  if (!row || row->measurement.source != winner.best.source) return std::nullopt;
  const bool is_estimated = row->measurement.status == model::Status::kDropped && objective.is_time();
  if (!is_estimated && row->measurement.status != model::Status::kMeasured) return std::nullopt;
  const std::optional<double> value = objective.value(row->measurement);
  const std::optional<double> best = objective.value(winner.best);
  if (!value || !best || !(*best > 0.0)) return std::nullopt;
  return std::max(0.0, *value / *best - 1.0);
}

std::optional<model::NamedValues> nearest_valid(const kernel_templates::KernelInstance& instance) {
  constexpr int kDraws = 1000;
  const model::Space& space = instance.space();
  const base::Result<model::Configuration> usual = space.configuration_of(instance.declared_default());
  if (!usual || space.size() == 0) return std::nullopt;
  std::vector<double> positions;
  for (std::size_t p = 0; p < space.parameters().size(); ++p)
    positions.push_back(static_cast<double>((*usual)[p]));
  model::NamedValues near = space.values_of(space.nearest(positions));
  base::Random random(1);
  for (int i = 0; i < kDraws && !instance.screened_plan(near); ++i)
    near = space.values_of(space.sample(random));
  if (!instance.screened_plan(near)) return std::nullopt;
  return near;
}

std::string why_nothing_fits(const std::vector<db::Winner>& winners, const db::Question& question,
                             const kernel_templates::KernelInstance& instance) {
  std::vector<const db::Winner*> left;
  left.reserve(winners.size());
  for (const db::Winner& winner : winners) left.push_back(&winner);
  if (left.empty()) return fmt::format("nothing is stored of {}", question.kernel);
  std::erase_if(left, [&](const auto* one) { return one->workload.kernel_hash != question.kernel_hash; });
  if (left.empty())
    return "there are only measurements of another version of its source; `warptune db carry KERNEL` keeps "
           "them "
           "if its code is the same";
  const model::CacheState other = left.front()->workload.cache;
  std::erase_if(left, [&](const auto* one) { return one->workload.cache != question.cache; });
  if (left.empty()) return fmt::format("there are only measurements from {}", model::l2_text(other));
  const std::string problem = model::to_text(left.front()->workload.problem);
  std::erase_if(
      left, [&](const auto* one) { return !db::are_comparable(question.problem, one->workload.problem); });
  if (left.empty()) return fmt::format("there are only measurements of another kind of problem: {}", problem);
  const auto exact = std::find_if(left.begin(), left.end(), [&](const db::Winner* one) {
    return one->workload.gpu.key() == question.gpu.key() &&
           model::key_of(one->workload.problem) == model::key_of(question.problem);
  });
  const bool has_exact = exact != left.end();
  const db::Winner& named = question.strict && has_exact ? **exact : *left.front();
  const std::string where =
      fmt::format("{} on {}", model::to_text(named.workload.problem), named.workload.gpu.name);
  if (question.strict && !has_exact)
    return fmt::format("--strict wants an exact match, and there is one for {}", where);
  if (const auto fault = why_invalid_for(instance, named.best.configuration, named.best))
    return fmt::format("no stored configuration can run here; the best for {} cannot: {}", where, *fault);
  return fmt::format("no stored configuration can be rated by what is asked for, such as those for {}",
                     where);
}

}  // namespace warptune::tuner::knowledge
