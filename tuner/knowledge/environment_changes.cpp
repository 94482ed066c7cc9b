#include "tuner/knowledge/environment_changes.h"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <utility>

#include "base/text.h"
#include "model/own_metrics.h"
#include "profiling/known_gpu.h"

namespace warptune::tuner::knowledge {

namespace {

std::string clock_text(std::int64_t mhz) { return fmt::format("{} MHz", mhz); }

// Without what is not compared with the present.
model::Environment comparable(model::Environment environment) {
  environment.warptune_version.clear();
  if (!profiling::has_working_clocks(environment))
    environment.sm_clock_mhz = environment.memory_clock_mhz = 0;
  return environment;
}

// The parts of `environment` that are unknown in `known`.
model::Environment unknown_part(model::Environment environment, const model::Environment& known) {
  if (known.driver_version.value_or(0) != 0) environment.driver_version.reset();
  if (!known.driver_release.empty()) environment.driver_release.clear();
  if (known.nvrtc_version != 0) environment.nvrtc_version = 0;
  if (known.sm_clock_mhz != 0) environment.sm_clock_mhz = 0;
  if (known.memory_clock_mhz != 0) environment.memory_clock_mhz = 0;
  return environment;
}

// Where a winner can be measured again: empty if it is here.
std::string place_text(const EnvironmentDifferences& differences, const db::Winner& winner) {
  if (differences.is_gpu_here) return "";
  return fmt::format(" on a machine with the {}", winner.workload.gpu.name);
}

}  // namespace

std::vector<EnvironmentChange> environment_changes(const model::Environment& before,
                                                   const model::Environment& after) {
  std::vector<EnvironmentChange> changes;
  const auto note = [&](std::string_view name, std::string_view title, std::int64_t old_number,
                        std::int64_t new_number, std::string (*text)(std::int64_t)) {
    if (old_number != 0 && new_number != 0 && old_number != new_number)
      changes.push_back({name, title, text(old_number), text(new_number), old_number, new_number});
  };
  const auto note_clock = [&](std::string_view name, std::string_view title, std::int64_t old_mhz,
                              std::int64_t new_mhz) {
    if (std::abs(old_mhz - new_mhz) * 100 > old_mhz) note(name, title, old_mhz, new_mhz, clock_text);
  };
  const auto note_text = [&](std::string_view name, std::string_view title, const std::string& old_text,
                             const std::string& new_text) {
    if (old_text.empty() || new_text.empty() || old_text == new_text) return false;
    changes.push_back({name, title, old_text, new_text});
    return true;
  };
  const bool is_other_release =
      note_text("driver_release", "driver", before.driver_release, after.driver_release);
  note("driver_version", is_other_release ? "CUDA of the driver" : "driver",
       before.driver_version.value_or(0), after.driver_version.value_or(0), model::cuda_version_text);
  note("nvrtc_version", "NVRTC", before.nvrtc_version, after.nvrtc_version, model::cuda_version_text);
  note_text("warptune_version", "warptune", before.warptune_version, after.warptune_version);
  note_clock(model::own_metric::kSmClockMhz, "SM clock", before.sm_clock_mhz, after.sm_clock_mhz);
  note_clock("memory_clock_mhz", "memory clock", before.memory_clock_mhz, after.memory_clock_mhz);
  return changes;
}

EnvironmentDifferences environment_differences(const db::Winner& winner,
                                               const std::optional<db::Session>& newest,
                                               const gpus::PresentMachine& here) {
  EnvironmentDifferences found;
  if (winner.best.source != model::RowSource::kMeasured) return found;
  const model::Environment then = comparable(winner.environment);
  model::Environment now = comparable(here.environment);
  found.is_gpu_here = here.gpu && here.gpu->key() == winner.workload.gpu.key();
  const bool has_driver = here.gpu || now.driver_version;
  if (!found.is_gpu_here) now = {"", {}, has_driver ? 0 : now.nvrtc_version, 0, 0, ""};
  found.here = environment_changes(then, now);
  if (newest && newest->id != winner.session_id) {
    found.newest_session = newest->id;
    found.newest = environment_changes(then, unknown_part(comparable(newest->environment), now));
  }
  return found;
}

std::string differences_text(const EnvironmentDifferences& differences) {
  std::vector<std::string> parts;
  for (const EnvironmentChange& change : differences.here)
    parts.push_back(fmt::format("{} {} (here {})", change.title, change.before, change.after));
  for (const EnvironmentChange& change : differences.newest) {
    parts.push_back(fmt::format("{} {} ({} in session {}, the newest on this GPU)", change.title,
                                change.before, change.after, differences.newest_session));
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

std::string environment_note(const EnvironmentDifferences& differences, const db::Winner& winner,
                             const std::string& kernel, bool by_time) {
  if (differences.is_empty()) return "";
  const bool can_recheck = by_time && !winner.of_system;
  const std::string where = place_text(differences, winner);
  const std::string command = can_recheck ? fmt::format("warptune recheck {}", kernel)
                                          : fmt::format("warptune tune {} --fresh", kernel);
  return fmt::format("measured with {}: {}{} {}", differences_text(differences), command, where,
                     can_recheck ? "says whether it still holds" : "measures it again");
}

std::vector<std::string> environment_notes(const std::vector<db::Winner>& winners, const db::Store& store,
                                           const std::string& kernel, const gpus::PresentMachine& here) {
  std::map<std::string, std::optional<db::Session>> newest;
  std::map<std::pair<std::string, std::string>, std::size_t> counts;  // The key: differences and place.
  for (const db::Winner& winner : winners) {
    const std::string key = winner.workload.gpu.key();
    const auto [place, is_new] = newest.try_emplace(key);
    if (is_new) place->second = store.newest_measured_session(key);
    const EnvironmentDifferences found = environment_differences(winner, place->second, here);
    if (!found.is_empty()) ++counts[{differences_text(found), place_text(found, winner)}];
  }
  std::vector<std::string> notes;
  notes.reserve(counts.size());
  for (const auto& [texts, count] : counts) {
    notes.push_back(fmt::format("{} {} measured with {}: warptune recheck {}{} says what still holds",
                                base::counted(count, "result"), count == 1 ? "was" : "were", texts.first,
                                kernel, texts.second));
  }
  return notes;
}

}  // namespace warptune::tuner::knowledge
