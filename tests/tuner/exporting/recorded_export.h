#pragma once

#include <string>

#include "tuner/exporting/kernel_export.h"

namespace warptune::tuner::exporting {

/// A shipped kernel with the fastest row of its recording as its only winner, and what it recommends. Throws
/// `base::InputError` if it has no recording.
KernelExport recorded_export(const std::string& kernel);

/// A kernel, shipped or a path, with its default as the winner for its own problem on a GPU, and what it
/// recommends. `problem` replaces entries of the problem.
KernelExport default_export(const std::string& kernel, const model::GpuDescription& gpu,
                            const model::NamedValues& problem = {});

/// A definition to export with one winner, without what it recommends.
KernelExport export_of(const kernel_templates::KernelDefinition& definition, db::Winner winner);

}  // namespace warptune::tuner::exporting
