// The parts of an experiment that judge its measurements: claims, theory and charts.
#pragma once

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/experiment.h"

namespace warptune::kernel_templates::definition {

/// Reads a [[claim]], a row of [[theory]], or a [[chart]]. Each function throws `base::InputError` at a key
/// that is missing or has another type.
Claim claim_of(const TableReader& reader);
TheoryRow theory_of(const TableReader& reader);
ExperimentChart chart_of(const TableReader& reader);

}  // namespace warptune::kernel_templates::definition
