#include "library/tuned_kernel.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "base/error.h"
#include "db/confirmation.h"
#include "library/open_library.h"
#include "library/problem_values.h"

namespace warptune::library {

TunedKernel::TunedKernel(OpenLibrary& library, std::string name,
                         kernel_templates::KernelDefinition definition, model::GpuDescription gpu,
                         int ordinal, tuner::knowledge::AnswerSource source)
    : library_(library),
      name_(std::move(name)),
      definition_(std::move(definition)),
      gpu_(std::move(gpu)),
      ordinal_(ordinal),
      source_(std::move(source)) {}

kernel_templates::KernelInstance TunedKernel::instance(const model::NamedValues& problem) const {
  return {definition_, problem, gpu_};
}

const Selection* TunedKernel::select(std::span<const warptune_value> values) {
  const std::lock_guard lock(library_.mutex());
  if (const Selection* known = find(values)) return known;  // Another thread has just added it.
  const kernel_templates::KernelInstance asked = instance(problem_of(definition_, values));
  tuner::knowledge::KnownAnswer answer = library_.answer(asked, source_, name_);
  Selection selection{.kernel = this,
                      .tier = answer.match.tier,
                      .distance_log2 = answer.match.distance,
                      .median_ns = {},
                      .default_median_ns = {},
                      .problem = asked.problem(),
                      .configuration = std::move(answer.match.configuration),
                      .reason = std::move(answer.reason),
                      .problem_text = "",
                      .configuration_text = "",
                      .is_confirmed = false};
  if (const std::optional<db::Winner>& winner = answer.match.winner) {
    selection.median_ns = model::median_ns_of(winner->best);
    selection.is_confirmed = db::is_confirmed(winner->best);
    if (winner->default_measurement)
      selection.default_median_ns = model::median_ns_of(*winner->default_measurement);
  }
  selection.problem_text = model::to_text(selection.problem);
  selection.configuration_text = model::to_text(selection.configuration);
  return table_.add(values, std::move(selection));
}

}  // namespace warptune::library
