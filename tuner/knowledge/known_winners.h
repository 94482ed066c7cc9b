#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "db/lookup.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"

namespace warptune::tuner::knowledge {

/// A note for a message that nothing is known of a kernel. It begins with a space, and says that there are
/// measurements of another version of the kernel's source. It is empty if there are none.
std::string note_of_other_source(const db::Store& store,
                                 const kernel_templates::KernelDefinition& definition);

/// The configuration of the space of `instance` with these values. If it does not fit the definition, the
/// reason: a parameter or a value is unknown, or a constraint does not hold.
base::Result<model::Configuration> fitting_configuration(const kernel_templates::KernelInstance& instance,
                                                         const model::NamedValues& values);

/// Why a configuration that was measured elsewhere cannot run for `instance`: a constraint does not hold, or
/// the GPU has too few threads or registers, or too little shared memory. Returns std::nullopt if it can run.
/// `evidence` is the measurement elsewhere.
std::optional<std::string> why_invalid_for(const kernel_templates::KernelInstance& instance,
                                           const model::NamedValues& configuration,
                                           const model::Measurement& evidence);

/// A winner with another row of its workload in place of its best: also with the environment, the work and
/// the roofs of that row's session. Returns std::nullopt if the session is damaged.
std::optional<db::Winner> winner_with_row(const db::Winner& winner, const db::StoredMeasurement& row,
                                          const db::Store& store);

/// The best row of a workload by an objective that can run for `instance`. Measured rows come before replayed
/// ones. Returns std::nullopt if there is none.
std::optional<model::Measurement> valid_row_for(const kernel_templates::KernelInstance& instance,
                                                const db::Store& store, const model::Workload& workload,
                                                const model::Objective& objective);

/// How much slower a configuration was than a winner at the winner's workload: 0.5 is half as slow again. By
/// an objective, not below 0. Estimates of dropped configurations count for the time. Returns std::nullopt if
/// it has no value there, or not by the same means as the winner.
std::optional<double> measured_loss(const model::NamedValues& configuration, const db::Winner& winner,
                                    const model::Objective& objective, const db::Store& store);

/// A valid configuration of `instance`, for a default that is not valid there. It is the one nearest to the
/// default that meets the constraints. If that exceeds a limit of the GPU, it is a random valid one. Returns
/// std::nullopt if none was found.
std::optional<model::NamedValues> nearest_valid(const kernel_templates::KernelInstance& instance);

/// Why nothing stored answers a question, so that the answer is the default. The text is a part of a
/// sentence. `winners` are those of all versions of the kernel.
std::string why_nothing_fits(const std::vector<db::Winner>& winners, const db::Question& question,
                             const kernel_templates::KernelInstance& instance);

}  // namespace warptune::tuner::knowledge
