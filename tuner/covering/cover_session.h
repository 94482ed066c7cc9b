#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/cancellation.h"
#include "kernel_templates/read_scope.h"
#include "model/measurement.h"
#include "profiling/measuring_options.h"
#include "tuner/covering/cover_search.h"
#include "tuner/covers/size_cover.h"
#include "tuner/session/session_events.h"

namespace warptune::tuner::covering {

/// A cover that is wanted, and how it is measured.
struct CoverRequest {
  std::string kernel;        ///< A shipped name, or the path of a `.cu` or `.toml` file.
  model::NamedValues sizes;  ///< Problem entries that are not in the range, such as types.
  CoverGoal goal{};
  int device = 0;  ///< Ordinal of the GPU that measures.
  profiling::MeasuringOptions measuring{};
  std::size_t compile_workers = 0;  ///< 0: as many as cores and memory allow.
  std::optional<std::chrono::milliseconds> timeout{};
  kernel_templates::Permissions permissions{};
  std::filesystem::path database{};
};

/// A cover that was measured.
struct CoverResult {
  /// The kernel, the GPU and the cache state. Its problem is not one of the cover's: the sizes of the range
  /// have the values that the definition gives.
  model::Workload workload;
  covers::CoverTable table;  ///< All known times at the cover's sizes.
  CoverOutcome outcome;
  std::uint64_t earlier_evaluations = 0;  ///< Those of earlier runs with the same range, limit and demand.
};

/// Measures a cover, and continues what earlier runs with the same range, limit and demand have measured.
/// Each size gets sessions of its own. In the database, the text of their budget ends with a note about the
/// cover
/// (`covers::CoverNote`). Throws `base::InputError` if the kernel cannot be read, or if the range does not
/// fit the kernel. Throws `base::MachineError` if there is no GPU or the database cannot be used.
CoverResult cover_sizes(const CoverRequest& request, session::SessionListener& listener,
                        const std::function<void(const CoverProgress&)>& on_progress,
                        const base::Cancellation& cancellation);

}  // namespace warptune::tuner::covering
