// One configuration for several GPUs, in place of the best of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_definition.h"
#include "model/outputs/reproducibility.h"
#include "tuner/querying/portable_places.h"

namespace warptune::tuner::exporting {

/// Winners that have one configuration for each problem, and the problems that have none.
struct PortableWinners {
  std::vector<db::Winner> winners;
  std::vector<std::string> left_out;  ///< For people: a workload, and why it has no row.
};

/// Replaces winners by those of the configuration that loses least on all of the GPUs, for each stored
/// problem
/// (`querying::choose_portable`). `winners` are those of the kernel's present version and of one cache state.
/// A workload in which the configuration was not measured is left out: the rows of the other GPUs then answer
/// there. With `demanded`, its outputs must be known to meet that on each of the GPUs. Throws as
/// `querying::portable_gpus` does.
PortableWinners portable_winners(
    const kernel_templates::KernelDefinition& definition, const std::vector<db::Winner>& winners,
    const db::Store& store, const querying::PortableRequest& request,
    const std::optional<model::outputs::Reproducibility>& demanded = std::nullopt);

}  // namespace warptune::tuner::exporting
