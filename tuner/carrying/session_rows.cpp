#include "tuner/carrying/session_rows.h"

#include <fmt/format.h>

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

std::vector<std::string> keep_rows(const kernel_templates::KernelDefinition& definition,
                                   const model::Workload& workload, const SessionRowsOptions& options,
                                   const base::Cancellation& cancellation) {
  std::vector<std::string> sentences;
  if (!db::Store::exists(options.database)) return sentences;
  db::Store store(options.database);
  if (!db::codes::WorkloadCodes(store).knows_other_versions(definition.name, definition.hash))
    return sentences;
  if (!store.sessions(workload).empty()) return sentences;
  std::optional<workers::compiling::CompilePool> pool;
  for (const model::Workload& earlier : workloads_of_other_texts(store, definition)) {
    if (!is_earlier(earlier, workload) || cancellation.is_cancelled()) continue;
    if (!pool) pool.emplace(workers_of(options), kCompileDeadline, options.compile_cache);
    try {
      sentences.push_back(sentence_of(keep_rows(store, definition, earlier, *pool, cancellation)));
    } catch (const base::WorkError&) {  // It was cancelled.
      break;
    }
  }
  return sentences;
}

void note_code(const kernel_templates::KernelInstance& instance, const model::Workload& workload,
               const SessionRowsOptions& options, const base::Cancellation& cancellation) {
  if (options.compile_cache.empty() || cancellation.is_cancelled()) return;
  db::Store store(options.database);
  workers::compiling::CompilePool pool(workers_of(options), kCompileDeadline, options.compile_cache);
  try {
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
