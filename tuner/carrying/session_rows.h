#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "kernel_templates/kernel_instance.h"
#include "model/measurement.h"

namespace warptune::tuner::carrying {

/// Where a session stores its rows, and how it compiles.
struct SessionRowsOptions {
  std::filesystem::path database;
  std::filesystem::path compile_cache;  ///< Empty: there is no cache.
  std::size_t compile_workers = 0;      ///< 0: as many as cores and memory allow.
};

/// Before a session: gives the rows of other texts of the kernel to the present one (`keep_rows`).
/// This is done only if the database has no session of the present text. Returns a sentence for each other
/// text, which says so, or why its rows stay. Costs one query if the database knows no code of another text.
std::vector<std::string> keep_rows(const kernel_templates::KernelDefinition& definition,
                                   const model::Workload& workload, const SessionRowsOptions& options,
                                   const base::Cancellation& cancellation);

/// After a session: stores digests of its code (`note_code`). The session has compiled these
/// programs, so they are read from the compile cache. Without a cache, nothing is done.
void note_code(const kernel_templates::KernelInstance& instance, const model::Workload& workload,
               const SessionRowsOptions& options, const base::Cancellation& cancellation);

}  // namespace warptune::tuner::carrying
