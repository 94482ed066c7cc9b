#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/interrupt.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/explaining/explain_session.h"
#include "tuner/json_output/explain_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/explain_report.h"
#include "tuner/text_output/progress_display.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

Options declare_explain() {
  Options options(
      "explain KERNEL",
      "Explains why the best known configuration of KERNEL is faster than the default, and which parameters "
      "matter. KERNEL is the name of a shipped kernel, the path of a .cu or .toml file, or a "
      "recording.");
  declare_kernel(options, 1, 1);
  declare_workload(options)
      .values("from", "NAME=VALUE",
              "start at the default configuration with this value changed; may be repeated")
      .values("to", "NAME=VALUE", "end at the best configuration with this value changed; may be repeated")
      .flag("no-measure", "use only what is known; do not measure missing steps of the path")
      .value("budget", "60s|200|all",
             "limit for measuring missing steps: a time, a number of evaluations, or all", "60s");
  declare_measuring(options).common();
  options.example("explain transpose", "Says which parameters make the best faster than the default.")
      .example("explain transpose --no-measure", "Uses only what is known; no GPU is needed.")
      .related({"profile", "report"});
  return options;
}

/// The arguments of `warptune explain`, parsed and checked.
struct ExplainOptions {
  explaining::ExplainRequest request;
  bool json = false;
};

ExplainOptions read_explain(const Options& options) {
  ExplainOptions explain;
  explaining::ExplainRequest& request = explain.request;
  const session::Budget budget = session::Budget::parse(*options.text("budget"));
  request.measurement = read_measurement(options, !options.is_set("no-measure"));
  request.measurement.budget = budget;
  request.workload = {read_workload(options), options.required("KERNEL")};
  request.from = options.assignments("from");
  request.to = options.assignments("to");
  request.measure = !options.is_set("no-measure");
  explain.json = options.json();
  return explain;
}

std::optional<ExplainOptions> parse_explain(const std::vector<std::string>& arguments) {
  Options options = declare_explain();
  if (!options.parse(arguments)) return std::nullopt;
  return read_explain(options);
}

int run_explain(const std::vector<std::string>& arguments) {
  const std::optional<ExplainOptions> options = parse_explain(arguments);
  if (!options) return 0;
  const base::InterruptGuard guard;
  text_output::ProgressDisplay display(stderr, false, false);
  const explaining::ExplainOutcome outcome =
      explaining::explain(options->request, display, guard.cancellation());
  const text_output::ExplainedWorkload workload{&outcome.known.recording, outcome.known.origin,
                                                outcome.session};
  if (options->json) {
    text_output::print_out(
        "{}\n", json_output::to_text(json_output::explanation_json(workload, outcome.explanation)));
  } else {
    text_output::print_text("{}", text_output::explanation_text(workload, outcome.explanation));
  }
  return guard.cancellation().is_cancelled() ? static_cast<int>(base::ExitCode::kInterrupted) : 0;
}

}  // namespace

Command explain_command() {
  return {"explain", "explain why the best is faster than the default, and which parameters matter",
          run_explain, [] { return declare_explain().description(); }};
}

}  // namespace warptune::tuner::commands
