#include "tuner/carrying/session_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "db/codes/workload_codes.h"
#include "db/store.h"
#include "tuner/carrying/kept_rows.h"
#include "tuner/workers/compiling/compile_limits.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::tuner::carrying {

namespace {

std::size_t workers_of(const SessionRowsOptions& options) {
  return options.compile_workers != 0 ? options.compile_workers
                                      : workers::compiling::default_compile_workers();
}

// Whether a workload of another text differs from `workload` in nothing else.
bool is_earlier(const model::Workload& other, const model::Workload& workload) {
  return other.problem == workload.problem && other.gpu.key() == workload.gpu.key() &&
         other.cache == workload.cache;
}

}  // namespace

std::optional<std::string> advice_on_other_texts(const kernel_templates::KernelDefinition& definition,
                                                 const model::Workload& workload,
                                                 const std::filesystem::path& database) {
  try {
    if (!db::Store::exists(database)) return std::nullopt;
    db::Store store(database);
    const db::codes::WorkloadCodes codes(store);
    if (!codes.knows_other_versions(definition.name, definition.hash) || !store.sessions(workload).empty())
      return std::nullopt;
    const std::vector<model::Workload> others = workloads_of_other_texts(store, definition);
    if (std::none_of(others.begin(), others.end(), [&](const model::Workload& other) {
          return is_earlier(other, workload) && codes.find(other);
        }))
      return std::nullopt;
  } catch (const base::Error&) {  // The session itself says what is wrong with the database.
    return std::nullopt;
  }
  return fmt::format(
      "the database has measurements of another text of {}. If only comments, names or formatting changed, "
      "`warptune db carry` gives them to the present text",
      definition.name);
}

void note_code(const kernel_templates::KernelInstance& instance, const model::Workload& workload,
               const SessionRowsOptions& options, const base::Cancellation& cancellation) {
  if (options.compile_cache.empty() || cancellation.is_cancelled()) return;
  try {
    db::Store store(options.database);
    workers::compiling::CompilePool pool(workers_of(options), kCompileDeadline, options.compile_cache);
    if (const auto noted = note_code(store, instance, workload, pool, cancellation)) {
      base::log_debug(
          fmt::format("digests of the code of {} reference configurations are stored; {} programs were "
                      "compiled, {:.1f} ms",
                      noted->references, noted->compiled, noted->elapsed_ms));
    }
  } catch (const base::Error& error) {  // It was cancelled, or the database is locked. The session is stored.
    base::log_debug(fmt::format("no digests of the code are stored: {}", error.message()));
  }
}

}  // namespace warptune::tuner::carrying
