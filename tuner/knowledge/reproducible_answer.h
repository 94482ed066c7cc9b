// The answer to a question that demands something of the outputs.
#pragma once

#include <functional>
#include <string>

#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "model/objective.h"
#include "model/outputs/reproducibility.h"
#include "tuner/knowledge/known_answer.h"
#include "tuner/knowledge/reproducible_winners.h"

namespace warptune::tuner::knowledge {

/// Leaves in `source` only the best row of exactly the asked problem, GPU and cache state that is known to
/// meet the demand. If two databases have this workload, the first one with such a row counts.
/// `store_of` returns the database of a winner. Throws `base::WorkError` if no row is known to meet the
/// demand: the message says how many do not and which command finds out.
ReproducibleWinner keep_reproducible(AnswerSource& source, const kernel_templates::KernelInstance& instance,
                                     const AnswerRequest& request, const model::Objective& objective,
                                     const model::outputs::Reproducibility& demanded,
                                     const std::function<const db::Store&(const db::Winner&)>& store_of);

}  // namespace warptune::tuner::knowledge
