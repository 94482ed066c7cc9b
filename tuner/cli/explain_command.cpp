#include <fmt/format.h>

#include <iostream>
#include <optional>
#include <utility>

#include "base/error.h"
#include "tuner/cli/command.h"
#include "tuner/cli/explain_report.h"
#include "tuner/cli/named_measuring.h"
#include "tuner/cli/option_groups.h"
#include "tuner/cli/options.h"
#include "tuner/explanation.h"
#include "tuner/interrupt.h"
#include "tuner/known_rows.h"
#include "tuner/terminal.h"

namespace warptune::tuner::cli {

namespace {

Options explain_options() {
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
  measuring_options(options).common();
  return options;
}

void check_choices(const Options& options) {
  Budget::parse(*options.text("budget"));
  check_measuring_options(options);
  for (const char* assignments : {"size", "from", "to"}) options.assignments(assignments);
  read_cache_state(options);
}

// Measures missing steps on a GPU of this machine, set up when the first is asked for.
class MissingSteps {
 public:
  MissingSteps(const Options& options, const KnownRows& known) : options_(options), known_(known) {}

  // What it could not do, for people.
  std::string note() const { return note_; }
  std::optional<std::int64_t> session() {
    return measuring_ ? measuring_->rows().session_id() : std::nullopt;
  }

  std::vector<search::Measurement> measure(const std::vector<search::NamedValues>& missing) {
    if (!tried_) set_up();
    tried_ = true;
    if (!measuring_) return {};
    std::vector<search::Measurement> rows = measuring_->rows().measure(missing);
    if (measuring_->rows().out_of_budget())
      note_ = fmt::format("--budget {} was spent before every step of the path was measured",
                          *options_.text("budget"));
    return rows;
  }

 private:
  void set_up() {
    const search::Recording& recording = known_.recording;
    const std::optional<int> device = measuring_device(options_, recording.subject.gpu);
    if (!device) {
      note_ = fmt::format("no {} here: steps that nobody measured are left out", recording.subject.gpu.name);
      return;
    }
    MeasuringPlan plan;
    plan.instance = known_.instance.get();
    plan.cache = recording.subject.cache;
    plan.strategy = "explain";
    plan.budget = Budget::parse(*options_.text("budget"));
    measuring_.emplace(options_, plan, *device);
  }

  const Options& options_;
  const KnownRows& known_;
  bool tried_ = false;
  std::string note_;
  std::optional<NamedMeasuring> measuring_;
};

}  // namespace

int run_explain(const std::vector<std::string>& arguments) {
  Options options = explain_options();
  if (!options.parse(arguments)) return 0;
  check_choices(options);
  const std::string kernel = options.required("KERNEL");
  const KnownRows known = require_known_rows({read_workload(options), kernel}, list_local_gpus);
  const bool of_database = !names_recording(kernel);
  ExplanationRequest request;
  request.from = options.assignments("from");
  request.to = options.assignments("to");
  request.seed = options.number("seed").value_or(1);
  request.instance = known.instance.get();
  request.best = known.best;
  MissingSteps steps(options, known);
  const InterruptGuard guard;
  if (of_database && !options.is_set("no-measure")) {
    request.measure = [&](const std::vector<search::NamedValues>& missing) { return steps.measure(missing); };
  }
  Explanation explanation = explain(known.recording, request);
  if (!steps.note().empty()) explanation.notes.push_back(steps.note());
  const ExplainedSubject subject{&known.recording, known.origin, steps.session()};
  if (options.json()) {
    std::cout << explanation_json(subject, explanation) << "\n";
  } else {
    fmt::print("{}", wrap_lines(explanation_text(subject, explanation), terminal_width(stdout)));
  }
  return InterruptGuard::flag().load() ? static_cast<int>(base::ExitCode::kInterrupted) : 0;
}

}  // namespace warptune::tuner::cli
