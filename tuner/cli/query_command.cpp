#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "db/lookup.h"
#include "kernel_templates/library.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/subjects.h"
#include "tuner/detail/json_forms.h"
#include "tuner/report.h"

namespace warptune::tuner::cli {

namespace {

void print_text(const db::Match& match, const db::Question& question, const ChosenGpu& chosen,
                const search::Objective& objective, const std::vector<ParetoPoint>& front) {
  fmt::print("{} {} on {} ({})\n", question.kernel, search::to_text(question.problem), question.gpu.name,
             chosen.origin);
  fmt::print("match: {}", db::to_string(match.tier));
  if (match.winner && match.tier != db::MatchTier::kExact) {
    fmt::print(", measured for {} on {}", search::to_text(match.winner->subject.problem),
               match.winner->subject.gpu.name);
    if (match.distance > 0) fmt::print(", distance {:.2f}", match.distance);
  }
  fmt::print("\n");
  if (!match.winner) {
    fmt::print("configuration: {}\n", search::to_text(match.configuration));
    return;
  }
  const db::Winner& winner = *match.winner;
  fmt::print("best of {} measured, {} evaluated; timed from a {} L2 cache; session {}\n\n", winner.measured,
             winner.evaluated, search::to_string(winner.subject.cache), winner.session_id);
  if (!objective.is_time()) {
    const std::string part = objective.parts().size() == 1 ? objective.text() : "";
    fmt::print("objective {}: {}\n\n", objective.text(),
               objective_value_text(part, objective.value(winner.best).value_or(0.0)));
  }
  fmt::print("{}", comparison_table(default_beside_best(winner.default_measurement, winner.best), winner.work,
                                    winner.roofs));
  if (!front.empty())
    fmt::print("\nnot beaten in every one of {}: {}\n{}", objective.text(), front.size(),
               pareto_table(front, objective, winner.work, winner.roofs));
}

void print_json(const db::Match& match, const db::Question& question, const search::Objective& objective,
                const std::vector<ParetoPoint>& front) {
  nlohmann::ordered_json report;
  report["kernel"] = question.kernel;
  report["kernel_hash"] = question.kernel_hash;
  report["problem"] = detail::to_ordered_json(question.problem);
  report["gpu"] = question.gpu.name;
  report["cache"] = search::to_string(question.cache);
  report["objective"] = objective.text();
  report["match"] = db::to_string(match.tier);
  report["distance"] = match.distance;
  report["configuration"] = detail::to_ordered_json(match.configuration);
  if (match.winner) {
    report["measured_problem"] = detail::to_ordered_json(match.winner->subject.problem);
    report["measured_gpu"] = match.winner->subject.gpu.name;
    report["session"] = match.winner->session_id;
    if (const std::optional<double> value = objective.value(match.winner->best)) report["value"] = *value;
    const db::Winner& winner = *match.winner;
    report["evidence"] = detail::measurement_report(winner.best, winner.work, winner.roofs);
    if (winner.default_measurement)
      report["default"] = detail::measurement_report(*winner.default_measurement, winner.work, winner.roofs);
  }
  if (objective.parts().size() > 1) report["pareto"] = detail::pareto_report(front, objective);
  std::cout << detail::to_text(report) << "\n";
}

}  // namespace

int run_query(const std::vector<std::string>& arguments) {
  Options options("query KERNEL", "Prints the best known configuration of KERNEL and how well it matches.");
  options.positional("KERNEL", 1, 1)
      .values("size", "NAME=VALUE", "a size or type of the problem; may be repeated")
      .value("gpu", "NAME", "a GPU of the database; default this machine's, else the newest session's")
      .value("cache", "cold|warm", "timed from a cold or a warm L2 cache", "cold")
      .value("objective", "EXPR[,EXPR]", "what ranks the measured: as for warptune tune", "time")
      .flag("strict", "only an exact match")
      .database()
      .common();
  if (!options.parse(arguments)) return 0;
  const search::Objective objective = search::Objective::parse(*options.text("objective"));
  const search::CacheState cache = cache_state_of(options);
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(options.required("KERNEL"));
  const db::Store store = db::Store::open_existing(database_path(options));
  const ChosenGpu chosen = choose_gpu(options.text("gpu"), store);
  const kernel_templates::KernelInstance instance(definition, options.assignments("size"), chosen.gpu);
  db::Question question{definition.name,
                        definition.hash,
                        instance.problem(),
                        chosen.gpu,
                        instance.default_configuration(),
                        options.is_set("strict"),
                        {},
                        cache};
  question.valid = [&](const search::NamedValues& configuration, const search::Measurement& evidence) {
    return is_valid_for(instance, configuration, evidence);
  };
  const db::Match match = db::look_up(store.winners(definition.name, definition.hash, objective), question);
  if (match.tier == db::MatchTier::kNone) {
    const bool other_source = knows_other_source(store, definition);
    throw base::WorkError(fmt::format(
        "nothing is known of {} {} on {} from a {} L2 cache{}; run warptune tune {}", definition.name,
        search::to_text(instance.problem()), chosen.gpu.name, search::to_string(question.cache),
        other_source ? " (there are measurements of another version of its source)" : "",
        options.required("KERNEL")));
  }
  std::vector<ParetoPoint> front;
  if (match.winner) front = pareto_points(store, match.winner->subject, objective);
  if (options.json()) {
    print_json(match, question, objective, front);
  } else {
    print_text(match, question, chosen, objective, front);
  }
  return 0;
}

}  // namespace warptune::tuner::cli
