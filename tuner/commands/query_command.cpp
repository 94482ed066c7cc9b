#include "tuner/commands/query_command.h"

#include <fmt/format.h>

#include "base/error.h"
#include "base/text.h"
#include "db/lookup.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/library.h"
#include "profiling/verification/plausibility.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/query_json.h"
#include "tuner/knowledge/known_winners.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/session/finals/verification.h"
#include "tuner/text_output/configuration_comparison.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

constexpr const char* kReplayed =
    "replayed from a recording: nothing was measured on this machine, and export leaves it out without "
    "--replayed\n\n";

// The doubt that the winner's measurement raises about `[work]` of the current definition.
std::optional<profiling::verification::WorkContradiction> doubt_of(
    const db::Match& match, const kernel_templates::KernelDefinition& definition) {
  if (!match.winner) return std::nullopt;
  const db::Winner& winner = *match.winner;
  const model::Workload& workload = winner.workload;
  return profiling::verification::PlausibilityCheck(
             workload.gpu, workload.cache, winner.roofs,
             profiling::verification::declared_work(definition, workload.problem, winner.work))
      .doubt(winner.best);
}

void print_text(const db::Match& match, const db::Question& question, const gpus::ChosenGpu& chosen,
                const model::Objective& objective, const std::vector<text_output::ParetoPoint>& front,
                const std::optional<profiling::verification::WorkContradiction>& doubt) {
  text_output::print_out("{} {} on {} ({})\n", question.kernel, model::to_text(question.problem),
                         question.gpu.name, chosen.origin);
  text_output::print_out("match: {}", db::to_string(match.tier));
  if (match.winner && match.tier != db::MatchTier::kExact) {
    text_output::print_out(", measured for {} on {}", model::to_text(match.winner->workload.problem),
                           match.winner->workload.gpu.name);
    if (match.distance > 0) text_output::print_out(", distance {:.2f}", match.distance);
  }
  text_output::print_out("\n");
  if (!match.winner) {
    text_output::print_out("configuration: {}\n", model::to_text(match.configuration));
    return;
  }
  const db::Winner& winner = *match.winner;
  text_output::print_out("best of {} measured, {} evaluated; timed from {}; session {}\n\n", winner.measured,
                         winner.evaluated, model::l2_text(winner.workload.cache), winner.session_id);
  if (winner.best.replayed) text_output::print_out("{}", kReplayed);
  if (!objective.is_time()) {
    const std::string part = objective.parts().size() == 1 ? objective.text() : "";
    text_output::print_out(
        "objective {}: {}\n\n", objective.text(),
        text_output::objective_value_text(part, objective.value(winner.best).value_or(0.0)));
  }
  text_output::print_out("{}", text_output::comparison_table(
                                   text_output::default_and_best(winner.default_measurement, winner.best),
                                   winner.work, winner.roofs));
  text_output::print_out("{}", session::finals::verification_text(winner.best));
  if (doubt) text_output::print_out("doubtful: {}\n", doubt->message());
  if (!front.empty())
    text_output::print_out("\nPareto front of {}: {}\n{}", objective.text(), front.size(),
                           text_output::pareto_table(front, objective, winner.work, winner.roofs));
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
  question.valid = [&](const model::NamedValues& configuration, const model::Measurement& evidence) {
    return knowledge::is_valid_for(instance, configuration, evidence);
  };
  return question;
}

base::WorkError nothing_known(const QueryOptions& options, const db::Question& question, bool other_source) {
  return base::WorkError(fmt::format(
      "nothing is known of {} {} on {} from {}{}; run warptune tune {}", question.kernel,
      model::to_text(question.problem), question.gpu.name, model::l2_text(question.cache),
      other_source ? " (there are measurements of another version of its source)" : "", options.kernel));
}

int query(const QueryOptions& options) {
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(options.kernel, options.readable_folders);
  kernel_templates::log_warnings_of(definition);
  const db::Store store = knowledge::open_database(options.database);
  const gpus::ChosenGpu chosen =
      gpus::choose_gpu(options.gpu, store, gpus::list_local_gpus, gpus::recognise_local_gpu);
  const kernel_templates::KernelInstance instance(definition, options.sizes, chosen.gpu);
  const db::Question question = question_of(options, instance);
  const model::Objective& objective = options.objective;
  const db::Match match = db::look_up(store.winners(definition.name, definition.hash, objective), question);
  if (match.tier == db::MatchTier::kNone)
    throw nothing_known(options, question, knowledge::knows_other_source(store, definition));
  std::vector<text_output::ParetoPoint> front;
  if (match.winner) front = text_output::pareto_points(store, match.winner->workload, objective);
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::query_json(
                                       match, question, objective, front, doubt_of(match, definition))));
  } else {
    print_text(match, question, chosen, objective, front, doubt_of(match, definition));
  }
  return 0;
}

Options declare_query() {
  Options options(
      "query KERNEL",
      "Prints the best known configuration of KERNEL for a GPU and a problem, and how well it matches.");
  declare_kernel(options, 1, 1);
  declare_sizes(options);
  declare_gpu(options);
  declare_cache_state(options)
      .value("objective", "EXPR[,EXPR]", "how measured configurations are ranked, as for warptune tune",
             "time")
      .known_words(objective_words)
      .flag("strict", "accept only an exact match");
  declare_database(options);
  declare_readable_folders(options).common();
  options
      .example("query transpose --size M=8192 --size N=8192",
               "Prints the best known configuration for this size, and how well it fits.")
      .example("query transpose --gpu H200 --format json",
               "Asks for another GPU, in a form that programs read.")
      .related({"tune", "export", "show"});
  return options;
}

}  // namespace

std::optional<QueryOptions> parse_query(const std::vector<std::string>& arguments) {
  Options options = declare_query();
  if (!options.parse(arguments)) return std::nullopt;
  QueryOptions read;
  read.kernel = options.required("KERNEL");
  read.sizes = read_sizes(options);
  read.readable_folders = read_readable_folders(options);
  read.gpu = read_gpu(options);
  read.cache = read_cache_state(options);
  read.objective = model::Objective::parse(*options.text("objective"));
  read.strict = options.is_set("strict");
  read.database = read_database(options);
  read.json = options.json();
  return read;
}

namespace {

int run_query(const std::vector<std::string>& arguments) {
  const std::optional<QueryOptions> options = parse_query(arguments);
  return options ? query(*options) : 0;
}

}  // namespace

Command query_command() {
  return {"query", "print the best known configuration for a GPU and problem, and how well it matches",
          run_query, [] { return declare_query().description(); }};
}

}  // namespace warptune::tuner::commands
