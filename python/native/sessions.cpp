#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/text.h"
#include "kernel_templates/compile_cache.h"
#include "kernel_templates/library.h"
#include "model/outputs/reproducibility.h"
#include "python/native/bindings.h"
#include "python/native/kernel_source.h"
#include "python/native/named_values.h"
#include "python/native/own_data.h"
#include "python/native/session_thread.h"
#include "tuner/checking/check_text.h"
#include "tuner/checking/definition_check.h"
#include "tuner/evaluation/evaluation_limit.h"
#include "tuner/explaining/explain_session.h"
#include "tuner/explaining/profile_session.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/json_output/lines/output_lines.h"
#include "tuner/knowledge/database_path.h"
#include "tuner/session/counter_choice.h"
#include "tuner/session/tuning.h"
#include "tuner/text_output/explain_report.h"
#include "tuner/text_output/profile_report.h"
#include "tuner/text_output/tune_report.h"
#include "tuner/workers/compiling/compile_limits.h"

namespace warptune::python::native {

namespace nb = nanobind;
namespace session = tuner::session;
namespace lines = tuner::json_output::lines;
namespace text_output = tuner::text_output;

namespace {

using Path = std::optional<std::string>;

/// The result of a function: the JSON and the text that the command with the same name prints.
using Answer = std::pair<std::string, std::string>;

// The text is printed on terminals, and parts of it come from files. So control characters are escaped.
Answer answer_of(std::string document, std::string_view text) {
  return {std::move(document), base::printable(text)};
}

/// How configurations are measured, in all sessions.
struct MeasuringChoice {
  std::optional<std::string> cache;
  std::string device;
  std::size_t jobs = 0;
  std::optional<double> timeout_s;
  Path database;
};

// Without `writes`, the session measures nothing, so the database may be a store of campaigns.
session::MeasurementRequest measurement_request(const MeasuringChoice& choice, bool writes = true) {
  session::MeasurementRequest request;
  if (choice.cache) request.measuring.cache = cache_state_of(*choice.cache);
  request.measuring.compile_cache = kernel_templates::default_compile_cache();
  request.compile_workers = choice.jobs;
  if (choice.timeout_s) {
    request.timeout =
        tuner::evaluation::asked_limit(*choice.timeout_s, fmt::format("timeout_s={}", *choice.timeout_s));
  }
  if (writes || !tuner::knowledge::names_store(choice.database))
    request.database = tuner::knowledge::written_database_path(choice.database);
  return request;
}

tuner::knowledge::WorkloadQuestion workload_question(const KernelSource& source,
                                                     const MeasuringChoice& choice,
                                                     const std::optional<std::string>& gpu) {
  tuner::knowledge::WorkloadQuestion question;
  question.kernel = source.kernel;
  question.sizes = source.sizes;
  question.permissions = source.permissions();
  question.gpu = gpu;
  if (choice.cache) question.cache = cache_state_of(*choice.cache);
  if (choice.database) question.database = tuner::knowledge::database_path(choice.database);
  return question;
}

struct SearchChoice {
  std::string budget;
  std::string until;
  std::string strategy;
  std::string objective;
  std::uint64_t seed = 1;
  std::string metrics;
  std::string count = "contenders";
  bool fresh = false;
  bool transfer = true;
  bool thorough = false;
  std::optional<std::string> reproducible;
  Path replay;
  bool measure = false;
};

session::TuningRequest tuning_request(const KernelSource& source, const MeasuringChoice& measuring,
                                      const SearchChoice& search) {
  session::TuningRequest request;
  request.kernel = source.kernel;
  request.sizes = source.sizes;
  request.permissions = source.permissions();
  request.devices = tuner::gpus::DeviceChoice::parse(measuring.device);
  request.search.budget = session::Budget::parse(search.budget);
  request.search.strategy = search.strategy;
  request.search.objective = model::Objective::parse(search.objective);
  if (search.reproducible)
    request.search.reproducible = model::outputs::Reproducibility::parse(*search.reproducible);
  if (!search.until.empty()) request.search.goal = session::Goal::parse(search.until);
  request.search.fresh = search.fresh;
  request.search.transfer = search.transfer;
  const session::MeasurementRequest common = measurement_request(measuring);
  request.measuring = common.measuring;
  request.cache_is_named = measuring.cache.has_value();
  request.measuring.thorough = search.thorough;
  request.search.seed = request.measuring.seed = search.seed;
  session::CounterChoice::parse(search.metrics, search.count)
      .apply(request.search.objective, request.measuring);
  request.compile_workers = common.compile_workers;
  request.timeout = common.timeout;
  request.database = common.database;
  if (search.replay) request.recording = *search.replay;
  request.measure_only = search.measure;
  return request;
}

// Runs the session of a request, of which there must be only one. Throws `base::WorkError` if no
// configuration was correct.
Answer run_tuning(const session::TuningRequest& request, session::SessionListener& listener,
                  const base::Cancellation& cancellation) {
  if (db::Store::exists(request.database)) db::Store::open_existing(request.database);
  session::Tuning tuning(request);
  if (tuning.session_count() > 1)
    throw base::InputError("the chosen GPUs are of several models; choose those of one with device=");
  const session::TuningOutcome outcome = tuning.run(0, listener, cancellation);
  if (outcome.result.interrupted) return {};  // The caller raises what interrupted it.
  const db::Store store = db::Store::open_existing(request.database);
  if (!outcome.result.best) throw text_output::nothing_measured_in(outcome, store);
  if (outcome.failed_cases > 0) throw session::failed_cases_error(outcome.failed_cases);
  return answer_of(lines::tuned_session_line(outcome, store),
                   text_output::tune_text(outcome, store, request.kernel));
}

// Makes the session use `check` instead of the definition's check. Does nothing if the GPU does not exist:
// the tuning then reports that.
void require_check(const session::TuningRequest& request, OwnData& own, const KernelSource& source,
                   library::tuning::ProgramCheck check) {
  if (request.devices.all || request.devices.ordinals.size() != 1)
    throw base::InputError("check= needs one GPU; choose it with device=");
  const profiling::GpuList list = tuner::gpus::list_local_gpus();
  const auto ordinal = static_cast<std::size_t>(request.devices.ordinals.front());
  if (ordinal >= list.gpus.size()) return;
  own.data.ask(std::move(check), {kernel_templates::load_kernel(source.kernel, source.permissions()),
                                  source.sizes, list.gpus[ordinal]});
}

// `own` is null if the program gives no data. With a check it must not be null. A replayed session calls no
// check.
Answer tune(const KernelSource& source, const MeasuringChoice& measuring, const SearchChoice& search,
            OwnData* own, const std::optional<nb::callable>& check, const nb::callable& listen) {
  session::TuningRequest request = tuning_request(source, measuring, search);
  Answer answer;
  run_session(listen, [&](session::SessionListener& listener, const base::Cancellation& cancellation,
                          const OnCaller& on_caller) {
    if (check && !request.recording) require_check(request, *own, source, check_on_caller(*check, on_caller));
    if (own != nullptr) request.contents = own->data.contents();
    if (check && own->data.has_check()) request.judge = [&] { return own->data.judge(); };
    answer = run_tuning(request, listener, cancellation);
  });
  return answer;
}

Answer check(const KernelSource& source, std::optional<std::uint64_t> sample, std::uint64_t seed,
             std::size_t jobs, const nb::callable& listen) {
  Answer answer;
  run_session(
      listen, [&](session::SessionListener&, const base::Cancellation& cancellation, const OnCaller&) {
        tuner::checking::CheckRequest request;
        request.definition = kernel_templates::load_kernel(source.kernel, source.permissions());
        request.sizes = source.sizes;
        const profiling::GpuList list = tuner::gpus::list_local_gpus();
        request.gpus = {list.gpus.empty() ? model::fictional_gpu() : list.gpus.front()};
        request.sample = sample;
        request.seed = seed;
        request.jobs = jobs == 0 ? tuner::workers::compiling::default_compile_workers() : jobs;
        request.compile_cache = kernel_templates::default_compile_cache();
        request.trusted = source.trusted;
        const tuner::checking::CheckReport report = tuner::checking::check_definition(request, cancellation);
        answer = answer_of(lines::check_line(report), tuner::checking::programs_text(report) +
                                                          tuner::checking::host_text(report) +
                                                          tuner::checking::findings_text(report.findings) +
                                                          tuner::checking::verdict_text(report));
      });
  return answer;
}

Answer explain(const KernelSource& source, const MeasuringChoice& measuring,
               const std::optional<std::string>& gpu, const nb::dict& from, const nb::dict& to, bool measure,
               const nb::callable& listen) {
  tuner::explaining::ExplainRequest request;
  request.workload = workload_question(source, measuring, gpu);
  request.from = named_values(from);
  request.to = named_values(to);
  request.measure = measure;
  request.measurement = measurement_request(measuring, measure);
  Answer answer;
  run_session(listen, [&](session::SessionListener& listener, const base::Cancellation& cancellation,
                          const OnCaller&) {
    const tuner::explaining::ExplainOutcome outcome =
        tuner::explaining::explain(request, listener, cancellation);
    const text_output::ExplainedWorkload workload{&outcome.known.recording, outcome.known.origin,
                                                  outcome.session};
    answer = answer_of(lines::explain_line(workload, outcome.explanation),
                       text_output::explanation_text(workload, outcome.explanation));
  });
  return answer;
}

Answer profile(const KernelSource& source, const MeasuringChoice& measuring,
               const std::optional<std::string>& gpu, const nb::dict& changes, bool from_default, bool stored,
               bool hot_lines, const nb::callable& listen) {
  tuner::explaining::ProfileRequest request;
  request.workload = workload_question(source, measuring, gpu);
  request.changes = named_values(changes);
  request.from_default = from_default;
  request.stored = stored;
  request.hot_lines = hot_lines;
  request.measurement = measurement_request(measuring, !stored);
  Answer answer;
  run_session(listen, [&](session::SessionListener& listener, const base::Cancellation& cancellation,
                          const OnCaller&) {
    const std::optional<tuner::explaining::Profile> profile =
        tuner::explaining::profile(request, listener, cancellation);
    if (profile)
      answer = answer_of(lines::profile_line(*profile), text_output::profile_text(*profile, false, 0));
  });
  return answer;
}

void make_measuring(MeasuringChoice* choice, std::optional<std::string> cache, std::string device,
                    std::size_t jobs, std::optional<double> timeout_s, Path database) {
  new (choice) MeasuringChoice{std::move(cache), std::move(device), jobs, timeout_s, std::move(database)};
}

}  // namespace

void bind_sessions(nb::module_& module) {
  nb::class_<MeasuringChoice>(module, "MeasuringChoice", "How configurations are measured.")
      .def("__init__", &make_measuring, nb::arg("cache").none(), nb::arg("device"), nb::arg("jobs"),
           nb::arg("timeout_s").none(), nb::arg("database").none());
  nb::class_<SearchChoice>(module, "SearchChoice", "How a space is searched.")
      .def(nb::init<>())
      .def_rw("budget", &SearchChoice::budget)
      .def_rw("until", &SearchChoice::until)
      .def_rw("strategy", &SearchChoice::strategy)
      .def_rw("objective", &SearchChoice::objective)
      .def_rw("seed", &SearchChoice::seed)
      .def_rw("metrics", &SearchChoice::metrics)
      .def_rw("count", &SearchChoice::count)
      .def_rw("fresh", &SearchChoice::fresh)
      .def_rw("transfer", &SearchChoice::transfer)
      .def_rw("thorough", &SearchChoice::thorough)
      .def_rw("reproducible", &SearchChoice::reproducible, nb::for_setter(nb::arg("demand").none()))
      .def_rw("replay", &SearchChoice::replay, nb::for_setter(nb::arg("path").none()))
      .def_rw("measure", &SearchChoice::measure);
  module.def("tune", &tune, nb::arg("source"), nb::arg("measuring"), nb::arg("search"), nb::arg("own").none(),
             nb::arg("check").none(), nb::arg("listen"));
  module.def("check", &check, nb::arg("source"), nb::arg("sample").none(), nb::arg("seed"), nb::arg("jobs"),
             nb::arg("listen"));
  module.def("explain", &explain, nb::arg("source"), nb::arg("measuring"), nb::arg("gpu").none(),
             nb::arg("from_"), nb::arg("to"), nb::arg("measure"), nb::arg("listen"));
  module.def("profile", &profile, nb::arg("source"), nb::arg("measuring"), nb::arg("gpu").none(),
             nb::arg("changes"), nb::arg("from_default"), nb::arg("stored"), nb::arg("hot_lines"),
             nb::arg("listen"));
}

}  // namespace warptune::python::native
