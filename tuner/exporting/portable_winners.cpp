#include "tuner/exporting/portable_winners.h"

#include <fmt/format.h>

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "model/objective.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/knowledge/known_winners.h"
#include "tuner/querying/portable_choice.h"

namespace warptune::tuner::exporting {

namespace {

std::string name_of(const model::Workload& workload) {
  return fmt::format("{} on {}", model::to_text(workload.problem), workload.gpu.name);
}

// The winner of a place, with the row of the configuration that was chosen for all places.
std::optional<db::Winner> winner_with(const querying::PortablePlace& place, const querying::PlaceLoss& loss,
                                      const db::Store& store) {
  if (loss.basis != querying::LossBasis::kMeasured) return std::nullopt;
  std::optional<db::Winner> winner = knowledge::winner_with_row(*place.winner, *loss.row, store);
  if (winner) winner->portable_loss = loss.loss;
  return winner;
}

}  // namespace

PortableWinners portable_winners(const kernel_templates::KernelDefinition& definition,
                                 const std::vector<db::Winner>& winners, const db::Store& store,
                                 const querying::PortableRequest& request,
                                 const std::optional<model::outputs::Reproducibility>& demanded) {
  PortableWinners result;
  if (winners.empty()) return result;
  const model::CacheState cache = winners.front().workload.cache;
  const std::vector<model::GpuDescription> gpus =
      querying::portable_gpus(request, gpus::distinct_gpus(store), winners, cache);
  std::map<std::string, model::NamedValues> problems;
  for (const db::Winner& winner : winners)
    problems.emplace(model::key_of(winner.workload.problem), winner.workload.problem);
  const auto store_of = [&store](const db::Winner&) -> const db::Store& { return store; };
  for (const auto& [key, problem] : problems) {
    const std::vector<querying::PortablePlace> places =
        querying::portable_places(definition, problem, gpus, winners, cache, demanded.has_value());
    const std::optional<querying::PortableChoice> choice =
        querying::choose_portable(places, model::Objective(), request.over, store_of, demanded);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (!places[i].winner || places[i].distance > 0.0) continue;
      const model::Workload& workload = places[i].winner->workload;
      std::optional<db::Winner> winner;
      if (choice) winner = winner_with(places[i], choice->losses[i], store);
      if (winner) {
        result.winners.push_back(*std::move(winner));
      } else if (choice) {
        result.left_out.push_back(name_of(workload) + ": the chosen configuration was not measured there");
      } else {
        result.left_out.push_back(name_of(workload) + ": no stored configuration can run on all of the GPUs" +
                                  (demanded ? " and " + demanded->sentence() : ""));
      }
    }
  }
  return result;
}

}  // namespace warptune::tuner::exporting
