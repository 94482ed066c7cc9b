#include "tuner/knowledge/layered_databases.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "base/environment.h"
#include "base/error.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/knowledge/renamed_rows.h"

namespace warptune::tuner::knowledge {

namespace {

std::vector<db::Winner> as_system_winners(std::vector<db::Winner> winners) {
  for (db::Winner& winner : winners) winner.of_system = true;
  return winners;
}

db::Store open_system(const std::string& path) {
  try {
    return db::Store::open_shared(path);
  } catch (const base::InputError& error) {
    throw base::InputError(fmt::format("{} (WARPTUNE_SYSTEM_DB names this file)", error.message()),
                           error.position());
  }
}

void append(std::vector<db::Winner>& winners, std::vector<db::Winner> more) {
  for (db::Winner& winner : more) winners.push_back(std::move(winner));
}

}  // namespace

LayeredDatabases::LayeredDatabases(std::filesystem::path own) : path_(std::move(own)) {
  const std::string system = base::environment_text(base::Variable::kSystemDatabase);
  if (!system.empty()) system_ = open_system(system);
  if (db::Store::exists(path_) || (!system_ && !is_not_made_yet(path_))) own_ = open_database(path_);
}

void LayeredDatabases::require() const {
  if (!exist()) open_database(path_);
}

AnswerSource LayeredDatabases::source(const kernel_templates::KernelDefinition& definition,
                                      const model::Objective& objective) const {
  if (!exist()) {
    AnswerSource nothing;
    nothing.all_versions = [] { return std::vector<db::Winner>(); };
    return nothing;
  }
  if (!system_) return source_of(*own_, definition, objective);
  AnswerSource below = source_of(*system_, definition, objective);
  AnswerSource all = own_ ? source_of(*own_, definition, objective) : AnswerSource{};
  append(all.winners, as_system_winners(std::move(below.winners)));
  all.all_versions = [above = std::move(all.all_versions), below = std::move(below.all_versions)] {
    std::vector<db::Winner> winners = above ? above() : std::vector<db::Winner>();
    append(winners, as_system_winners(below()));
    return winners;
  };
  all.valid_row = [above = std::move(all.valid_row), below = std::move(below.valid_row)](
                      const kernel_templates::KernelInstance& instance, const db::Winner& winner) {
    return winner.of_system ? below(instance, winner) : above(instance, winner);
  };
  all.loss = [above = std::move(all.loss), below = std::move(below.loss)](
                 const db::Winner& winner, const model::NamedValues& configuration) {
    return winner.of_system ? below(winner, configuration) : above(winner, configuration);
  };
  all.covered = [above = std::move(all.covered),
                 below = std::move(below.covered)](const model::Workload& workload) {
    std::optional<covers::CoverAnswer> answer = above ? above(workload) : std::nullopt;
    return answer || !below ? answer : below(workload);
  };
  return all;
}

std::vector<model::GpuDescription> LayeredDatabases::gpus() const {
  std::vector<model::GpuDescription> all =
      own_ ? gpus::distinct_gpus(*own_) : std::vector<model::GpuDescription>();
  if (!system_) return all;
  for (model::GpuDescription& gpu : gpus::distinct_gpus(*system_)) {
    const bool is_known = std::any_of(
        all.begin(), all.end(), [&](const model::GpuDescription& known) { return known.key() == gpu.key(); });
    if (!is_known) all.push_back(std::move(gpu));
  }
  return all;
}

}  // namespace warptune::tuner::knowledge
