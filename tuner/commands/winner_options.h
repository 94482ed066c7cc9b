// Options of the commands that choose winners. For each group, one function declares it, and another one
// reads it into typed fields, as in option_groups.h.
#pragma once

#include <optional>
#include <string>

#include "model/outputs/reproducibility.h"
#include "tuner/commands/options.h"
#include "tuner/querying/portable_places.h"

namespace warptune::tuner::commands {

/// `--gpu`, which may be repeated, and `--portable[=worst|mean]`: one configuration for several GPUs. The
/// reader returns std::nullopt without `--portable`. It throws as `querying::PortableRequest::parse` does.
Options& declare_portable(Options& options, const std::string& gpu_help);
std::optional<querying::PortableRequest> read_portable(const Options& options);

/// `--reproducible[=DEMAND]`: what the outputs of the winner must be. The reader throws `base::InputError`
/// for another demand.
Options& declare_reproducible(Options& options);
std::optional<model::outputs::Reproducibility> read_reproducible(const Options& options);

}  // namespace warptune::tuner::commands
