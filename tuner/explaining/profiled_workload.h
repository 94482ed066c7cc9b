#pragma once

#include <string>

#include "model/value.h"
#include "tuner/explaining/profile_session.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/knowledge/known_rows.h"
#include "tuner/session/measurement_session.h"

namespace warptune::tuner::explaining {

/// A configuration, and in words which one it is: "the default", "the best of 120 known".
struct ChosenConfiguration {
  model::NamedValues configuration;
  std::string which;
};

/// The configuration that a request of `profile` means. Throws `base::InputError` if the definition has no
/// default where one is needed, and if the configuration is not in the space.
ChosenConfiguration choose_configuration(const ProfileRequest& request, const knowledge::KnownRows& known);

/// The workload that a request of `profile` means, with its known rows. There are no rows when the database
/// does not exist yet. Without a GPU and without a database, the rows are those of a shipped recording, and
/// `listener` is told. Throws as `knowledge::load_known_rows` does, and `base::MachineError` when there is
/// neither a GPU nor a recording.
knowledge::KnownRows find_profiled_workload(const ProfileRequest& request, gpus::LocalGpus& local,
                                            session::SessionListener& listener);

}  // namespace warptune::tuner::explaining
