// What is known about a question, for `warptune query` and for libwarptune.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "db/lookup.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "model/measurement.h"
#include "model/objective.h"
#include "tuner/covers/stored_cover.h"

namespace warptune::tuner::knowledge {

/// Where an answer is looked up: a database, or a snapshot of one.
struct AnswerSource {
  /// The winners of the kernel's present version.
  std::vector<db::Winner> winners;
  /// Returns the winners of all versions of the kernel. They explain why nothing fits.
  std::function<std::vector<db::Winner>()> all_versions;
  /// Returns the best row of a winner's workload that can run for the instance. The function is empty for a
  /// snapshot, which has only winners.
  std::function<std::optional<model::Measurement>(const kernel_templates::KernelInstance& instance,
                                                  const db::Winner& winner)>
      valid_row;
  /// Returns how much slower a configuration was than a winner at the winner's workload (`measured_loss`).
  /// The function is empty for a snapshot.
  std::function<std::optional<double>(const db::Winner& winner, const model::NamedValues& configuration)>
      loss{};
  /// Returns how a cover answers for a workload that was not measured itself (`warptune cover`). The function
  /// is empty for a snapshot, and if the objective is not the time.
  std::function<std::optional<covers::CoverAnswer>(const model::Workload& workload)> covered{};
};

/// The source for a kernel in a database, which must outlive it. The winners are read now.
AnswerSource source_of(const db::Store& store, const kernel_templates::KernelDefinition& definition,
                       const model::Objective& objective);

/// What is asked about an instance of a kernel.
struct AnswerRequest {
  std::string kernel;  ///< The kernel as the user named it, for messages.
  model::CacheState cache = model::CacheState::kCold;
  bool strict = false;  ///< Accept only an exact match.
  /// Whether a configuration that the definition recommends may be the answer.
  bool recommends = true;
};

struct KnownAnswer {
  db::Match match;     ///< Its configuration can run for the instance.
  std::string reason;  ///< Why the configuration is not a winner's, or which cover answers; may be empty.
};

/// Returns the best known configuration, or the definition's default if nothing fits. If the problem was not
/// measured on this GPU, a cover whose range contains it answers before the winners of other problems. What
/// the definition recommends for the problem and the GPU (`[[recommended]]`) answers before the default, and
/// before a winner for whose problem and GPU it recommends something else. It does not answer if it was much
/// slower than the nearest winner at a problem of nearly the same size. A
/// default that cannot run is replaced by the nearest configuration that can. Throws `base::WorkError` if
/// nothing can run, and if `strict` is set and there is no exact match.
KnownAnswer known_answer(const kernel_templates::KernelInstance& instance, const AnswerSource& source,
                         const AnswerRequest& request);

}  // namespace warptune::tuner::knowledge
