#include "tuner/session/check_cases.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <variant>

#include "base/error.h"

namespace warptune::tuner::session {

namespace {

std::string name_of(const kernel_templates::CheckCase& one) {
  const std::string sizes = one.sizes.empty() ? "the sizes of the problem" : model::to_text(one.sizes);
  return fmt::format("{}, seed {}", sizes, one.seed);
}

// Why the best configuration fails a case. Empty if it does not fail.
std::string fault_of(const std::optional<model::Measurement>& measured) {
  if (!measured) return "";
  switch (measured->status) {
    case model::Status::kMeasured:
    case model::Status::kDropped:
      return "";
    default:
      return fmt::format("{}{}{}", model::to_string(measured->status), measured->reason.empty() ? "" : ": ",
                         measured->reason);
  }
}

}  // namespace

std::optional<model::Measurement> evaluate_once(evaluation::Evaluator& evaluator,
                                                const model::NamedValues& configuration,
                                                const base::Cancellation& cancellation) {
  bool submitted = false;
  while (!cancellation.is_cancelled()) {
    if (!submitted && evaluator.wanted() > 0) {
      evaluator.submit({1, configuration});
      submitted = true;
    }
    for (evaluation::EvaluationEvent& event : evaluator.wait(evaluation::Evaluator::kPollInterval)) {
      if (auto* measured = std::get_if<evaluation::MeasurementEvent>(&event))
        return std::move(measured->measurement);
      if (std::holds_alternative<evaluation::UnknownEvent>(event)) return std::nullopt;
    }
  }
  evaluator.drop_waiting();
  return std::nullopt;
}

std::size_t verify_cases(const std::vector<kernel_templates::CheckCase>& cases,
                         const CaseEvaluation& evaluate, SessionListener& listener) {
  std::size_t failed = 0;
  for (const kernel_templates::CheckCase& one : cases) {
    std::string fault;
    try {
      fault = fault_of(evaluate(one));
    } catch (const base::InputError& error) {  // The other cases are still worth checking.
      fault = error.what();
    }
    if (fault.empty()) continue;
    ++failed;
    listener.on_event(SessionWarning{fmt::format("the best configuration fails the check's case {} ({}): {}",
                                                 name_of(one), base::to_string(one.position), fault)});
  }
  return failed;
}

}  // namespace warptune::tuner::session
