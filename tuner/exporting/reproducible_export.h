// Exports in which only configurations with reproducible outputs may be.
#pragma once

#include <string>

#include "db/header_export.h"
#include "db/store.h"
#include "model/outputs/reproducibility.h"

namespace warptune::tuner::exporting {

/// Replaces each winner of the input by the best row of its workload that is known to meet the demand
/// (`knowledge::reproducible_winner`). A workload without such a row is left out, with a warning. Also warns
/// if bits are demanded and the outputs for a problem differ between GPUs. `kernel` is the name as the user
/// gave it. Throws `base::WorkError` if nothing is left.
void keep_reproducible(db::ExportInput& input, const std::string& kernel, const db::Store& store,
                       const model::outputs::Reproducibility& demanded);

}  // namespace warptune::tuner::exporting
