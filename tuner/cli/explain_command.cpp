#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "db/store.h"
#include "tuner/cli/command.h"
#include "tuner/cli/explain_report.h"
#include "tuner/cli/known_rows.h"
#include "tuner/cli/options.h"
#include "tuner/cli/subjects.h"
#include "tuner/cli/tune_stage.h"
#include "tuner/explanation.h"
#include "tuner/interrupt.h"
#include "tuner/process_evaluator.h"
#include "tuner/stored_measuring.h"

namespace warptune::tuner::cli {

namespace {

Options explain_options() {
  Options options(
      "explain KERNEL",
      "Says why the best known configuration of KERNEL (a shipped name, a path to a .cu or .toml, or a "
      "recording) is faster than the default, and which parameters matter.");
  options.positional("KERNEL", 1, 1);
  subject_options(options)
      .values("from", "NAME=VALUE", "begin at the default with this changed; may be repeated")
      .values("to", "NAME=VALUE", "end at the best with this changed; may be repeated")
      .flag("no-measure", "use what is known; measure no missing steps of the path")
      .value("budget", "60s|200|all", "how long missing steps may be measured", "60s")
      .value("device", "N", "which GPU measures them; default the first of the model asked for")
      .value("jobs", "N", "compile workers; default one a core")
      .value("compile-cache", "DIR|none",
             "folder of compiled code; default $XDG_CACHE_HOME/warptune/compiled")
      .value("seed", "N", "seed of the model and of the data", "1")
      .common();
  return options;
}

void check_choices(const Options& options) {
  Budget::parse(*options.text("budget"));
  for (const char* number : {"jobs", "seed", "device"}) options.number(number);
  for (const char* assignments : {"size", "from", "to"}) options.assignments(assignments);
  cache_state_of(options);
  if (options.text("compile-cache") == "")
    throw base::InputError("--compile-cache is empty: expected a folder, or none");
}

// Which GPU of this machine is of the model that the rows are of.
std::optional<int> measuring_device(const Options& options, const search::GpuDescription& wanted) {
  const profiling::GpuCensus census = find_gpus_in_worker();
  if (const std::optional<std::string> device = options.text("device")) {
    const int chosen = chosen_devices(*device, census.gpus.size()).front();
    if (census.gpus[static_cast<std::size_t>(chosen)].key() == wanted.key()) return chosen;
    throw base::InputError(
        fmt::format("--device {}: that is no {}; name its model with --gpu, too", chosen, wanted.name));
  }
  for (std::size_t i = 0; i < census.gpus.size(); ++i) {
    if (census.gpus[i].key() == wanted.key()) return static_cast<int>(i);
  }
  return std::nullopt;
}

// Measures missing steps on a GPU of this machine, set up when the first is asked for.
class MissingSteps {
 public:
  MissingSteps(const Options& options, const KnownRows& known) : options_(options), known_(known) {}

  // What it could not do, for people.
  std::string note() const { return note_; }
  std::optional<std::int64_t> session() const { return measuring_ ? measuring_->session_id() : std::nullopt; }

  std::vector<search::Measurement> measure(const std::vector<search::NamedValues>& missing) {
    if (!tried_) set_up();
    tried_ = true;
    if (!measuring_) return {};
    std::vector<search::Measurement> rows = measuring_->measure(missing);
    if (measuring_->out_of_budget())
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
    ProcessEvaluatorOptions evaluator;
    evaluator.compile_workers = options_.number("jobs").value_or(0);
    evaluator.ordinals = {*device};
    evaluator.seed = options_.number("seed").value_or(1);
    evaluator.cache = recording.subject.cache;
    evaluator.compile_cache = compile_cache_of(options_);
    evaluator.thorough = true;
    evaluator_ = std::make_unique<ProcessEvaluator>(*known_.instance, evaluator);
    store_ = std::make_unique<db::Store>(database_path(options_));
    db::Session session;
    session.subject = recording.subject;
    session.work = recording.work;
    session.strategy = "explain";
    session.seed = evaluator.seed;
    session.space_size = known_.instance->space().size();
    session.default_configuration = recording.default_configuration;
    measuring_.emplace(std::move(session), Budget::parse(*options_.text("budget")), *evaluator_, *store_,
                       InterruptGuard::flag());
    measuring_->on_warning = [](const std::string& warning) { base::log_warning(warning); };
  }

  const Options& options_;
  const KnownRows& known_;
  bool tried_ = false;
  std::string note_;
  std::unique_ptr<ProcessEvaluator> evaluator_;
  std::unique_ptr<db::Store> store_;
  std::optional<StoredMeasuring> measuring_;
};

// What the database calls the best, which `query` and `export` give: of those as fast it may be another than
// the fastest.
search::NamedValues winner_of(const Options& options, const search::Subject& subject) {
  const db::Store store = db::Store::open_existing(database_path(options));
  for (const db::Winner& winner : store.winners(subject.kernel, subject.kernel_hash)) {
    const bool same = winner.subject.gpu.key() == subject.gpu.key() &&
                      winner.subject.problem == subject.problem && winner.subject.cache == subject.cache;
    if (same) return winner.best.configuration;
  }
  return {};
}

}  // namespace

int run_explain(const std::vector<std::string>& arguments) {
  Options options = explain_options();
  if (!options.parse(arguments)) return 0;
  check_choices(options);
  const std::string kernel = options.required("KERNEL");
  const KnownRows known = require_known_rows(options, kernel);
  const bool of_database = !names_recording(kernel);
  ExplanationRequest request;
  request.from = options.assignments("from");
  request.to = options.assignments("to");
  request.seed = options.number("seed").value_or(1);
  if (of_database) request.best = winner_of(options, known.recording.subject);
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
    fmt::print("{}", explanation_text(subject, explanation));
  }
  return InterruptGuard::flag().load() ? static_cast<int>(base::ExitCode::kInterrupted) : 0;
}

}  // namespace warptune::tuner::cli
