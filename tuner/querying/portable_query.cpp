#include "tuner/querying/portable_query.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/library.h"
#include "tuner/knowledge/known_answer.h"
#include "tuner/knowledge/layered_databases.h"
#include "tuner/knowledge/workload.h"

namespace warptune::tuner::querying {

namespace {

[[noreturn]] void refuse(const KernelQuestion& question, const std::string& kernel,
                         const std::vector<PortablePlace>& places) {
  const bool has_rows = std::any_of(places.begin(), places.end(),
                                    [](const PortablePlace& place) { return place.winner.has_value(); });
  std::vector<std::string> names;
  names.reserve(places.size());
  for (const PortablePlace& place : places) names.push_back(place.instance.gpu().name);
  const std::string where = names.empty() ? "any GPU" : fmt::format("{}", fmt::join(names, ", "));
  if (has_rows) {
    throw base::WorkError(fmt::format(
        "{} {}: no stored configuration can run on all of these GPUs{}: {}; query each of them without "
        "--portable",
        kernel, model::to_text(places.front().instance.problem()),
        question.reproducible ? " and " + question.reproducible->sentence() : "", where));
  }
  throw base::WorkError(
      fmt::format("nothing is known of {} from {} on {}{}; run `{}`", kernel, model::l2_text(question.cache),
                  where, question.strict || question.reproducible ? " for exactly this problem" : "",
                  knowledge::tune_command(question.kernel, question.sizes, question.cache)));
}

}  // namespace

PortableAnswer answer_portable(const KernelQuestion& question, const PortableRequest& request,
                               const gpus::MachineReader& read_machine) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(question.kernel, question.permissions);
  kernel_templates::log_warnings_of(definition);
  const knowledge::LayeredDatabases databases(question.database);
  databases.require();
  const std::vector<db::Winner> winners = databases.source(definition, question.objective).winners;
  const std::vector<model::GpuDescription> gpus =
      portable_gpus(request, databases.gpus(), winners, question.cache);
  std::vector<PortablePlace> places = portable_places(
      definition, question.sizes, gpus, winners, question.cache, question.strict || question.reproducible);
  // Without names, GPUs that know nothing of this kind of problem are not meant.
  if (request.gpus.empty())
    std::erase_if(places, [](const PortablePlace& place) { return !place.winner.has_value(); });
  const auto store_of = [&databases](const db::Winner& winner) -> const db::Store& {
    return databases.store_of(winner);
  };
  std::optional<PortableChoice> choice =
      choose_portable(places, question.objective, request.over, store_of, question.reproducible);
  if (!choice) refuse(question, definition.name, places);
  std::vector<std::optional<RowConditions>> conditions =
      conditions_of(places, choice->losses, store_of, question.kernel, read_machine(databases.gpus()));
  model::NamedValues problem = places.front().instance.problem();
  return {definition.name,   std::move(problem), question.cache,       request.over,
          std::move(places), *std::move(choice), std::move(conditions)};
}

}  // namespace warptune::tuner::querying
