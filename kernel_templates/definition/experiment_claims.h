// What an experiment says of its figures: claims, theory and charts.
#pragma once

#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/experiment.h"

namespace warptune::kernel_templates::definition {

/// A [[claim]], a row of [[theory]], a [[chart]]. Each throws `base::InputError` at what is missing or of
/// another type.
Claim claim_of(const TableReader& reader);
TheoryRow theory_of(const TableReader& reader);
ExperimentChart chart_of(const TableReader& reader);

}  // namespace warptune::kernel_templates::definition
