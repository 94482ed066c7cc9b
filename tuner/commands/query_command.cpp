#include "tuner/commands/query_command.h"

#include <fmt/format.h>

#include "base/error.h"
#include "db/lookup.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/commands/winner_options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/query_json.h"
#include "tuner/querying/portable_query.h"
#include "tuner/querying/portable_text.h"
#include "tuner/querying/weighing_text.h"
#include "tuner/session/finals/verification.h"
#include "tuner/text_output/configuration_comparison.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/style.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

constexpr const char* kReplayed =
    "replayed from a recording: nothing was measured on this machine, and export leaves it out without "
    "--replayed";
constexpr const char* kImported =
    "imported from a file: warptune has neither measured nor verified it, and export leaves it out without "
    "--imported";

void print_match(const querying::KernelAnswer& answer) {
  const db::Match& match = answer.match;
  const text_output::Style style =
      match.tier == db::MatchTier::kExact ? text_output::Style::kGood : text_output::Style::kCaution;
  std::string text = fmt::format("match: {}", text_output::styled(style, db::to_string(match.tier)));
  if (match.winner && match.tier != db::MatchTier::kExact) {
    text += fmt::format(", measured for {} on {}", model::to_text(match.winner->workload.problem),
                        match.winner->workload.gpu.name);
    if (match.distance > 0) text += fmt::format(", distance {:.2f}", match.distance);
  }
  text_output::print_text("{}\n", text);
  if (!answer.reason.empty()) text_output::print_text("{}\n", answer.reason);
}

void print_objective(const querying::KernelAnswer& answer, const model::Objective& objective,
                     const db::Winner& winner) {
  const double value = objective.value(winner.best).value_or(0.0);
  if (objective.parts().size() == 1) {
    text_output::print_text("objective {}: {}\n\n", objective.text(),
                            text_output::objective_value_text(objective.text(), value));
    return;
  }
  text_output::print_text(
      "{}\n", text_output::pareto_text(answer.front, objective, winner.work, winner.roofs, value));
}

void print_text(const querying::KernelAnswer& answer, const QueryOptions& options) {
  const model::Objective& objective = options.objective;
  text_output::print_text("{} {} on {} ({})\n", answer.asked.kernel, model::to_text(answer.asked.problem),
                          answer.asked.gpu.name, answer.chosen.origin);
  print_match(answer);
  if (!answer.match.winner) {
    text_output::print_text("configuration: {}\n", model::to_text(answer.match.configuration));
    return;
  }
  const db::Winner& winner = *answer.match.winner;
  text_output::print_text("best of {} measured, {} evaluated; timed from {}; session {}{}\n\n",
                          winner.measured, winner.evaluated, model::l2_text(winner.workload.cache),
                          winner.session_id, winner.of_system ? " of the system's database" : "");
  if (winner.best.source != model::RowSource::kMeasured) {
    const char* const note = winner.best.source == model::RowSource::kReplayed ? kReplayed : kImported;
    text_output::print_text("{}\n\n", text_output::styled(text_output::Style::kCaution, note));
  }
  if (!objective.is_time()) print_objective(answer, objective, winner);
  text_output::print_text("{}", text_output::comparison_table(
                                    text_output::default_and_best(winner.default_measurement, winner.best),
                                    winner.work, winner.roofs));
  text_output::print_text("{}", session::finals::verification_text(winner.best));
  if (answer.reproducible) {
    text_output::print_text(
        "{}", querying::reproducible_text(*answer.reproducible, objective, options.kernel, options.explain));
  }
  if (answer.doubt)
    text_output::print_text("{} {}\n", text_output::styled(text_output::Style::kCaution, "doubtful:"),
                            answer.doubt->message());
  if (const std::string note = querying::environment_note(answer, options); !note.empty())
    text_output::print_text("{}\n", text_output::styled(text_output::Style::kCaution, note));
}

int query_portable(const QueryOptions& options) {
  const querying::PortableAnswer answer = querying::answer_portable(options, *options.portable);
  if (options.json) {
    text_output::print_out("{}\n",
                           json_output::to_text(json_output::portable_json(answer, options.objective)));
  } else {
    text_output::print_text("{}", querying::portable_text(answer, options.objective));
  }
  return 0;
}

int query(const QueryOptions& options) {
  if (options.portable) return query_portable(options);
  const querying::KernelAnswer answer = querying::answer(options);
  if (options.json) {
    text_output::print_out(
        "{}\n", json_output::to_text(json_output::query_json(
                    answer.match, answer.reason, answer.asked, options.objective, answer.front, answer.doubt,
                    answer.weighing, answer.differences, answer.reproducible)));
  } else {
    print_text(answer, options);
    if (answer.weighing)
      text_output::print_text("\n{}", querying::weighing_text(*answer.weighing, options.objective));
  }
  return 0;
}

Options declare_query() {
  Options options(
      "query KERNEL",
      "Prints the best known configuration of KERNEL for a GPU and a problem, and how well it matches.");
  declare_kernel(options, 1, 1);
  declare_sizes(options);
  declare_portable(
      options,
      "a GPU of the database, or any GPU by compute capability and SMs; default: the GPU of this "
      "machine, otherwise of the newest session. With --portable it is repeated, or all, which is "
      "the default");
  declare_reproducible(options);
  declare_cache_state(options)
      .value("objective", "EXPR[,EXPR]", "how measured configurations are ranked, as for warptune tune",
             "time")
      .known_words(objective_words)
      .flag("strict", "accept only an exact match")
      .flag("explain",
            "also show which stored results were weighed, what each is expected to lose here, and why others "
            "cannot answer");
  declare_database(options);
  declare_permissions(options).common();
  options
      .example("query transpose --size M=8192 --size N=8192",
               "Prints the best known configuration for this size, and how well it fits.")
      .example("query transpose --gpu H200 --format json",
               "Asks for another GPU, in a form that programs read.")
      .example("query transpose --size M=3000 --explain",
               "Also says which results of other sizes and GPUs were weighed, and how far they may be off.")
      .example("query softmax --reproducible=runs",
               "Prints the fastest of those that are known to give the same bits in each launch.")
      .example("query transpose --portable --gpu H200 --gpu A100",
               "Prints the one configuration that loses least on both GPUs, and how much on each.")
      .related({"tune", "export", "show"});
  return options;
}

// The GPU that a question is about. Several of them need `--portable`.
std::optional<std::string> read_single_gpu(const Options& options) {
  const std::vector<std::string> gpus = options.texts("gpu");
  if (gpus.empty()) return std::nullopt;
  if (gpus.size() == 1) return gpus.front();
  throw base::InputError(
      fmt::format("--gpu is given {} times, and a query is about one GPU; --portable asks for one "
                  "configuration for all of "
                  "them",
                  gpus.size()));
}

}  // namespace

std::optional<QueryOptions> parse_query(const std::vector<std::string>& arguments) {
  Options options = declare_query();
  if (!options.parse(arguments)) return std::nullopt;
  QueryOptions read;
  read.kernel = options.required("KERNEL");
  read.sizes = read_sizes(options);
  read.permissions = read_permissions(options);
  read.portable = read_portable(options);
  if (!read.portable) read.gpu = read_single_gpu(options);
  read.cache = read_cache_state(options);
  read.objective = model::Objective::parse(*options.text("objective"));
  read.strict = options.is_set("strict");
  read.explain = options.is_set("explain");
  read.reproducible = read_reproducible(options);
  read.compare = true;
  if (read.portable && read.explain)
    throw base::InputError("--explain is about one GPU: give it without --portable");
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
