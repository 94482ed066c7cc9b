#include "tuner/cli/subjects.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/compile_cache.h"
#include "tuner/process_evaluator.h"

namespace warptune::tuner::cli {

namespace fs = std::filesystem;

namespace {

// GPUs of the database, newest session first, each once.
std::vector<search::GpuDescription> known_gpus(const db::Store& store) {
  std::vector<db::Session> sessions = store.sessions();
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const auto& a, const auto& b) { return a.started_ms > b.started_ms; });
  std::vector<search::GpuDescription> gpus;
  for (const db::Session& session : sessions) {
    const auto same = [&](const search::GpuDescription& gpu) {
      return gpu.key() == session.subject.gpu.key();
    };
    if (std::none_of(gpus.begin(), gpus.end(), same)) gpus.push_back(session.subject.gpu);
  }
  return gpus;
}

}  // namespace

fs::path database_path(const Options& options) {
  const std::optional<std::string> given = options.text("db");
  return given ? fs::path(*given) : base::data_folder() / "warptune.db";
}

std::vector<search::RoofReading> stored_roofs(const fs::path& database, const search::GpuDescription& gpu) {
  if (!fs::exists(database)) return {};
  return db::Store::open_existing(database).roofs(gpu);
}

fs::path compile_cache_of(const Options& options) {
  const std::optional<std::string> given = options.text("compile-cache");
  if (!given) return kernel_templates::default_compile_cache();
  return *given == "none" ? fs::path() : fs::path(*given);
}

search::CacheState cache_state_of(const Options& options) {
  const std::string given = options.text("cache").value_or("cold");
  const std::optional<search::CacheState> state = search::parse_cache_state(given);
  if (!state) throw base::InputError(fmt::format("--cache {}: expected cold or warm", given));
  return *state;
}

ChosenGpu choose_gpu(const std::optional<std::string>& wanted, const db::Store& store) {
  const std::vector<search::GpuDescription> known = known_gpus(store);
  std::vector<std::string> names;
  names.reserve(known.size());
  for (const search::GpuDescription& gpu : known) names.push_back(gpu.name);
  if (wanted) {
    std::vector<search::GpuDescription> fitting;
    for (const search::GpuDescription& gpu : known) {
      if (gpu.key() == *wanted ||
          base::lower_case(gpu.name).find(base::lower_case(*wanted)) != std::string::npos)
        fitting.push_back(gpu);
    }
    if (fitting.size() == 1) return {fitting.front(), "named by --gpu"};
    throw base::InputError(fmt::format("--gpu {}: {} of the database's GPUs fit; it knows {}", *wanted,
                                       fitting.empty() ? "none" : std::to_string(fitting.size()),
                                       names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
  }
  const profiling::GpuCensus census = find_gpus_in_worker();
  if (!census.gpus.empty()) return {census.gpus.front(), "this machine's"};
  if (!known.empty()) return {known.front(), "the newest session's; this machine has none"};
  throw base::InputError(
      "no GPU here and none in the database; run warptune tune first, or name another --db");
}

bool knows_other_source(const db::Store& store, const kernel_templates::KernelDefinition& definition) {
  const std::vector<db::Winner> any = store.winners(definition.name, "");
  return std::any_of(any.begin(), any.end(),
                     [&](const db::Winner& winner) { return winner.subject.kernel_hash != definition.hash; });
}

bool is_valid_for(const kernel_templates::KernelInstance& instance, const search::NamedValues& configuration,
                  const search::Measurement& evidence) {
  const base::Result<search::Configuration> chosen = instance.space().configuration_of(configuration);
  if (!chosen || !instance.space().contains(*chosen) || !instance.screened_plan(configuration)) return false;
  const search::ResourceUse& use = evidence.resources;
  const search::GpuDescription& gpu = instance.gpu();
  return use.static_shared_bytes + use.dynamic_shared_bytes <= gpu.shared_bytes_per_block_optin &&
         use.registers_per_thread * use.threads_per_block <= gpu.registers_per_sm;
}

std::vector<fs::path> shipped_recordings(const std::string& kernel) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(base::share_folder() / "recordings", error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(kernel + "-", 0) == 0 && name.find(".wtrec") != std::string::npos)
      found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace warptune::tuner::cli
