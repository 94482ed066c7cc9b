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

void print_text(const db::Match& match, const db::Question& question, const ChosenGpu& chosen) {
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
  std::vector<ReportColumn> columns;
  const bool same = winner.default_measurement && search::key_of(winner.default_measurement->configuration) ==
                                                      search::key_of(winner.best.configuration);
  if (winner.default_measurement && !same) columns.push_back({"default", *winner.default_measurement});
  columns.push_back({"best", winner.best});
  fmt::print("{}", comparison_table(columns, winner.work, winner.roofs));
}

void print_json(const db::Match& match, const db::Question& question) {
  nlohmann::ordered_json report;
  report["kernel"] = question.kernel;
  report["kernel_hash"] = question.kernel_hash;
  report["problem"] = detail::to_ordered_json(question.problem);
  report["gpu"] = question.gpu.name;
  report["cache"] = search::to_string(question.cache);
  report["match"] = db::to_string(match.tier);
  report["distance"] = match.distance;
  report["configuration"] = detail::to_ordered_json(match.configuration);
  if (match.winner) {
    report["measured_problem"] = detail::to_ordered_json(match.winner->subject.problem);
    report["measured_gpu"] = match.winner->subject.gpu.name;
    report["session"] = match.winner->session_id;
    report["evidence"] = detail::measurement_report(match.winner->best);
    if (match.winner->default_measurement)
      report["default"] = detail::measurement_report(*match.winner->default_measurement);
  }
  std::cout << detail::to_text(report) << "\n";
}

}  // namespace

int run_query(const std::vector<std::string>& arguments) {
  Options options("query KERNEL", "Prints the best known configuration of KERNEL and how well it matches.");
  options.positional("KERNEL", 1, 1)
      .values("size", "NAME=VALUE", "a size or type of the problem; may be repeated")
      .value("gpu", "NAME", "a GPU of the database; default this machine's, else the newest session's")
      .value("cache", "cold|warm", "timed from a cold or a warm L2 cache", "cold")
      .flag("strict", "only an exact match")
      .database()
      .common();
  if (!options.parse(arguments)) return 0;
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
                        cache_state_of(options)};
  question.valid = [&](const search::NamedValues& configuration, const search::Measurement& evidence) {
    return is_valid_for(instance, configuration, evidence);
  };
  const db::Match match = db::look_up(store.winners(definition.name, definition.hash), question);
  if (match.tier == db::MatchTier::kNone) {
    const bool other_source = knows_other_source(store, definition);
    throw base::WorkError(fmt::format(
        "nothing is known of {} {} on {} from a {} L2 cache{}; run warptune tune {}", definition.name,
        search::to_text(instance.problem()), chosen.gpu.name, search::to_string(question.cache),
        other_source ? " (there are measurements of another version of its source)" : "",
        options.required("KERNEL")));
  }
  if (options.json()) {
    print_json(match, question);
  } else {
    print_text(match, question, chosen);
  }
  return 0;
}

}  // namespace warptune::tuner::cli
