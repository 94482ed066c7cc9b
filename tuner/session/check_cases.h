#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/cancellation.h"
#include "kernel_templates/kernel_definition.h"
#include "model/measurement.h"
#include "tuner/evaluation/evaluator.h"
#include "tuner/session/session_events.h"

namespace warptune::tuner::session {

/// Evaluates the best configuration for one case of `[check]`. Returns std::nullopt if nothing was evaluated,
/// because the session was cancelled or the configuration is not valid for the case's sizes. Throws
/// `base::InputError` for sizes that the kernel cannot have.
using CaseEvaluation = std::function<std::optional<model::Measurement>(const kernel_templates::CheckCase&)>;

/// Evaluates one configuration without storing it. Returns std::nullopt if the session is cancelled first, or
/// if the evaluator replays a recording that lacks the configuration.
std::optional<model::Measurement> evaluate_once(evaluation::Evaluator& evaluator,
                                                const model::NamedValues& configuration,
                                                const base::Cancellation& cancellation);

/// Evaluates the best configuration of a session for every case that the definition names, and warns of each
/// case that fails. Returns how many cases failed.
std::size_t verify_cases(const std::vector<kernel_templates::CheckCase>& cases,
                         const CaseEvaluation& evaluate, SessionListener& listener);

}  // namespace warptune::tuner::session
