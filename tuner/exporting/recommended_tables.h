// Covers as `[[recommended]]` tables, which an author pastes into the definition of a kernel.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_definition.h"
#include "model/outputs/reproducibility.h"
#include "tuner/covers/stored_cover.h"
#include "tuner/exporting/kernel_export.h"

namespace warptune::tuner::exporting {

/// The decision list of a cover as `[[recommended]]` tables in its order. Their conditions hold only within
/// the range of the cover, and only for its other problem entries, such as types. Comments above them say
/// what was measured, and what the conditions do not say: the GPU, weights, and outputs.
std::string recommended_tables(const covers::StoredCover& stored, const covers::SizeCover& cover);

/// Which covers of a kernel are exported.
struct CoverSelection {
  model::CacheState cache = model::CacheState::kCold;
  std::optional<std::string>
      gpu{};  ///< As `gpus::choose_gpu` reads it. No value: the GPU of the newest cover.
  /// Only covers with this demand. No value: the newest cover, with or without one.
  std::optional<model::outputs::Reproducibility> reproducible{};
};

/// Throws `base::InputError` if the definition has no `[default]`, without which it cannot recommend
/// anything.
void require_default(const kernel_templates::KernelDefinition& definition);

/// The covers of one GPU: of those that differ only in the range, the limit or the demand, the newest. Warns
/// if covers of other GPUs are left out. Throws `base::WorkError` if there is none, and as
/// `require_default` does.
std::vector<covers::DerivedCover> selected_covers(const db::Store& store,
                                                  const kernel_templates::KernelDefinition& definition,
                                                  const std::string& kernel, const CoverSelection& selection);

/// The format `recommended` of `warptune export`. It writes `KernelExport::covers`.
ExportFormat recommended_format();

}  // namespace warptune::tuner::exporting
