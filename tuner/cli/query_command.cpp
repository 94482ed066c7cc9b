#include "tuner/cli/query_command.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "db/lookup.h"
#include "kernel_templates/library.h"
#include "profiling/plausibility.h"
#include "tuner/cli/command.h"
#include "tuner/cli/option_groups.h"
#include "tuner/cli/options.h"
#include "tuner/detail/json_forms.h"
#include "tuner/known_gpus.h"
#include "tuner/known_winners.h"
#include "tuner/local_gpus.h"
#include "tuner/renamed_rows.h"
#include "tuner/report.h"
#include "tuner/terminal.h"
#include "tuner/verification.h"

namespace warptune::tuner::cli {

namespace {

// What the winner says against `[work]`, by the definition as it is now.
std::optional<profiling::WorkDoubt> doubt_of(const db::Match& match,
                                             const kernel_templates::KernelDefinition& definition) {
  if (!match.winner) return std::nullopt;
  const db::Winner& winner = *match.winner;
  const search::Subject& subject = winner.subject;
  return profiling::PlausibilityCheck(subject.gpu, subject.cache, winner.roofs,
                                      profiling::declared_work(definition, subject.problem, winner.work))
      .doubt(winner.best);
}

void print_text(const db::Match& match, const db::Question& question, const ChosenGpu& chosen,
                const search::Objective& objective, const std::vector<ParetoPoint>& front,
                const std::optional<profiling::WorkDoubt>& doubt) {
  print_out("{} {} on {} ({})\n", question.kernel, search::to_text(question.problem), question.gpu.name,
            chosen.origin);
  print_out("match: {}", db::to_string(match.tier));
  if (match.winner && match.tier != db::MatchTier::kExact) {
    print_out(", measured for {} on {}", search::to_text(match.winner->subject.problem),
              match.winner->subject.gpu.name);
    if (match.distance > 0) print_out(", distance {:.2f}", match.distance);
  }
  print_out("\n");
  if (!match.winner) {
    print_out("configuration: {}\n", search::to_text(match.configuration));
    return;
  }
  const db::Winner& winner = *match.winner;
  print_out("best of {} measured, {} evaluated; timed from a {} L2 cache; session {}\n\n", winner.measured,
            winner.evaluated, search::to_string(winner.subject.cache), winner.session_id);
  if (!objective.is_time()) {
    const std::string part = objective.parts().size() == 1 ? objective.text() : "";
    print_out("objective {}: {}\n\n", objective.text(),
              objective_value_text(part, objective.value(winner.best).value_or(0.0)));
  }
  print_out("{}", comparison_table(default_beside_best(winner.default_measurement, winner.best), winner.work,
                                   winner.roofs));
  print_out("{}", verification_text(winner.best));
  if (doubt) print_out("doubtful: {}\n", doubt->message());
  if (!front.empty())
    print_out("\nnot beaten in every one of {}: {}\n{}", objective.text(), front.size(),
              pareto_table(front, objective, winner.work, winner.roofs));
}

void print_json(const db::Match& match, const db::Question& question, const search::Objective& objective,
                const std::vector<ParetoPoint>& front, const std::optional<profiling::WorkDoubt>& doubt) {
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
  if (doubt) report["work_doubt"] = detail::to_ordered_json(*doubt);
  if (objective.parts().size() > 1) report["pareto"] = detail::pareto_report(front, objective);
  print_out("{}\n", detail::to_text(report));
}

// `instance` must outlive the question.
db::Question question_of(const QueryOptions& options, const kernel_templates::KernelInstance& instance) {
  db::Question question{instance.definition().name,
                        instance.definition().hash,
                        instance.problem(),
                        instance.gpu(),
                        instance.default_configuration(),
                        options.strict,
                        {},
                        options.cache};
  question.valid = [&](const search::NamedValues& configuration, const search::Measurement& evidence) {
    return is_valid_for(instance, configuration, evidence);
  };
  return question;
}

base::WorkError nothing_known(const QueryOptions& options, const db::Question& question, bool other_source) {
  return base::WorkError(fmt::format(
      "nothing is known of {} {} on {} from a {} L2 cache{}; run warptune tune {}", question.kernel,
      search::to_text(question.problem), question.gpu.name, search::to_string(question.cache),
      other_source ? " (there are measurements of another version of its source)" : "", options.kernel));
}

int query(const QueryOptions& options) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(options.kernel, options.readable_folders);
  const db::Store store = open_database(options.database);
  const ChosenGpu chosen = choose_gpu(options.gpu, store, list_local_gpus, recognise_local_gpu);
  const kernel_templates::KernelInstance instance(definition, options.sizes, chosen.gpu);
  const db::Question question = question_of(options, instance);
  const search::Objective& objective = options.objective;
  const db::Match match = db::look_up(store.winners(definition.name, definition.hash, objective), question);
  if (match.tier == db::MatchTier::kNone)
    throw nothing_known(options, question, knows_other_source(store, definition));
  std::vector<ParetoPoint> front;
  if (match.winner) front = pareto_points(store, match.winner->subject, objective);
  if (options.json) {
    print_json(match, question, objective, front, doubt_of(match, definition));
  } else {
    print_text(match, question, chosen, objective, front, doubt_of(match, definition));
  }
  return 0;
}

}  // namespace

std::optional<QueryOptions> parse_query(const std::vector<std::string>& arguments) {
  Options options("query KERNEL", "Prints the best known configuration of KERNEL and how well it matches.");
  options.positional("KERNEL", 1, 1);
  declare_sizes(options);
  declare_gpu(options);
  declare_cache_state(options)
      .value("objective", "EXPR[,EXPR]", "what ranks the measured: as for warptune tune", "time")
      .flag("strict", "only an exact match");
  declare_database(options);
  declare_readable_folders(options).common();
  if (!options.parse(arguments)) return std::nullopt;
  QueryOptions read;
  read.kernel = options.required("KERNEL");
  read.sizes = read_sizes(options);
  read.readable_folders = read_readable_folders(options);
  read.gpu = read_gpu(options);
  read.cache = read_cache_state(options);
  read.objective = search::Objective::parse(*options.text("objective"));
  read.strict = options.is_set("strict");
  read.database = read_database(options);
  read.json = options.json();
  return read;
}

int run_query(const std::vector<std::string>& arguments) {
  const std::optional<QueryOptions> options = parse_query(arguments);
  return options ? query(*options) : 0;
}

}  // namespace warptune::tuner::cli
