#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

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

/// Before a session: advises to use `warptune db carry` if the present text has no session yet, and digests
/// of the code of another text are stored for the same workload. Nothing is compiled or moved, because the
/// other text may still be in use. Has no value if there is nothing to say, or if the database cannot be
/// read.
std::optional<std::string> advice_on_other_texts(const kernel_templates::KernelDefinition& definition,
                                                 const model::Workload& workload,
                                                 const std::filesystem::path& database);

/// After a session: stores digests of its code (`note_code`). The session has compiled these
/// programs, so they are read from the compile cache. Without a cache, nothing is done.
void note_code(const kernel_templates::KernelInstance& instance, const model::Workload& workload,
               const SessionRowsOptions& options, const base::Cancellation& cancellation);

}  // namespace warptune::tuner::carrying
