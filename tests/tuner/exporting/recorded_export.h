#pragma once

#include <string>

#include "tuner/exporting/kernel_export.h"

namespace warptune::tuner::exporting {

/// A shipped kernel with the fastest row of its recording as its only winner. Throws `base::InputError` if it
/// has no recording.
KernelExport recorded_export(const std::string& kernel);

/// A kernel, shipped or a path, with its default as the winner for its own problem on a GPU.
KernelExport default_export(const std::string& kernel, const model::GpuDescription& gpu);

/// A definition to export with one winner.
KernelExport export_of(const kernel_templates::KernelDefinition& definition, db::Winner winner);

}  // namespace warptune::tuner::exporting
