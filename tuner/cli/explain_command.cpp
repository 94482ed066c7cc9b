#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "tuner/cli/command.h"
#include "tuner/cli/explain_report.h"
#include "tuner/cli/option_groups.h"
#include "tuner/cli/options.h"
#include "tuner/explain_session.h"
#include "tuner/interrupt.h"
#include "tuner/progress_display.h"
#include "tuner/terminal.h"

namespace warptune::tuner::cli {

namespace {

Options declare_explain() {
  Options options(
      "explain KERNEL",
      "Says why the best known configuration of KERNEL (a shipped name, a path to a .cu or .toml, or a "
      "recording) is faster than the default, and which parameters matter.");
  options.positional("KERNEL", 1, 1);
  declare_workload(options)
      .values("from", "NAME=VALUE", "begin at the default with this changed; may be repeated")
      .values("to", "NAME=VALUE", "end at the best with this changed; may be repeated")
      .flag("no-measure", "use what is known; measure no missing steps of the path")
      .value("budget", "60s|200|all", "how long missing steps may be measured", "60s");
  declare_measuring(options).common();
  return options;
}

/// What a person asked of `explain`, read from the command line once.
struct ExplainOptions {
  ExplainRequest request;
  bool json = false;
};

ExplainOptions read_explain(const Options& options) {
  ExplainOptions explain;
  ExplainRequest& request = explain.request;
  const Budget budget = Budget::parse(*options.text("budget"));
  request.measurement = read_measurement(options);
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

}  // namespace

int run_explain(const std::vector<std::string>& arguments) {
  const std::optional<ExplainOptions> options = parse_explain(arguments);
  if (!options) return 0;
  const InterruptGuard guard;
  ProgressDisplay display(stderr, false, false);
  const ExplainOutcome outcome = explain(options->request, display, guard.cancellation());
  const ExplainedSubject subject{&outcome.known.recording, outcome.known.origin, outcome.session};
  if (options->json) {
    print_out("{}\n", explanation_json(subject, outcome.explanation));
  } else {
    print_out("{}", wrap_lines(explanation_text(subject, outcome.explanation), terminal_width(stdout)));
  }
  return guard.cancellation().is_cancelled() ? static_cast<int>(base::ExitCode::kInterrupted) : 0;
}

}  // namespace warptune::tuner::cli
