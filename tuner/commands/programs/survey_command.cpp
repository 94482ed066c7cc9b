#include "tuner/commands/programs/survey_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/files.h"
#include "model/objective.h"
#include "profiling/measuring_options.h"
#include "survey/analysis/named_kernel.h"
#include "survey/analysis/short_kernel_name.h"
#include "survey/captures/capture_file.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/commands/outputs/output_file.h"
#include "tuner/session/counter_choice.h"

namespace warptune::tuner::commands::programs {

namespace {

constexpr double kLongestSeconds = 1e7;  // 115 days.
constexpr std::uint64_t kMaxRecords = 20'000'000;

Options declare_survey() {
  Options options(
      "survey [FILE]",
      "Runs a program, unchanged, and says what it does on the GPUs. It says how busy the GPUs are, why they "
      "are idle, which kernels and copies take the time, and what to do first. FILE is a stored survey, "
      "which "
      "is shown again. The exit code is that of warptune's own work, so it is 0 also if the program fails. A "
      "line on standard error says how the program ended.");
  options.positional("FILE", 0, 1)
      .followed_by("PROGRAM [ARGUMENT...]")
      .value("output,o", "FILE", "store the survey, usually as NAME.wtsurvey.zst; default: it is not stored")
      .value("html", "FILE", "write a page with a timeline, which opens offline in a browser")
      .value(
          "trace", "FILE",
          "write a trace that Perfetto and chrome://tracing open; it is compressed if the name ends in .gz")
      .value("compare", "FILE",
             "also say what changed since another survey, for example of an earlier version; JSON says only "
             "this")
      .value("after", "SECONDS", "begin so long after the start of the program")
      .value("duration", "SECONDS", "end so long after the beginning; the program goes on to its own end")
      .optional_value(
          "counters", "N",
          "run the program a second time, and read hardware counters of the kernels with most time: "
          "those of the first N launches of a kernel. Without N, it is 3")
      .value("metrics", "core|full|NAME,...", "hardware counters to read with --counters", "core")
      .known_words(metric_words)
      .value("capture", "KERNEL",
             "run the program once more, and store one launch of KERNEL with its code and data, for bench")
      .value("capture-launch", "N", "the number of that launch among those of KERNEL", "1")
      .value("capture-limit", "MIB", "the most MiB of the launch's buffers, at most 2048", "1024")
      .value("capture-output", "FILE", "where to store it; default: KERNEL.wtcapture.zst")
      .value("range", "NAME", "survey only what happens within NVTX ranges of this name")
      .value(
          "records", "N",
          fmt::format("limit of the records of each process, at most {}; launches beyond it are counted and "
                      "not listed",
                      kMaxRecords),
          std::to_string(survey::collecting::SurveyRequest().record_limit));
  declare_database(options);
  options.common();
  options
      .example("survey -o app.wtsurvey.zst -- ./app --size 4096",
               "Surveys a run of a program and keeps the survey.")
      .example("survey --after 10 --duration 5 --html app.html -- python train.py",
               "Surveys five seconds of a training, and writes a page with a timeline.")
      .example("survey --counters --metrics full -- ./app",
               "Also says what is wrong with the kernels that take most time, from their hardware counters.")
      .example("survey app.wtsurvey.zst --compare before.wtsurvey.zst",
               "Shows a stored survey, and what changed since another.")
      .example("survey --capture scale -- ./app",
               "Stores the first launch of a kernel in scale.wtcapture.zst.")
      .related({"bench", "profile", "report", "doctor"});
  return options;
}

// A time in seconds. Throws `base::InputError` unless it is at least `minimum`.
std::optional<double> read_seconds(const Options& options, const std::string& name, double minimum) {
  const std::optional<std::string> given = options.text(name);
  if (!given) return std::nullopt;
  double seconds = 0.0;
  const char* const end = given->data() + given->size();
  const auto [rest, error] = std::from_chars(given->data(), end, seconds);
  if (error != std::errc() || rest != end || !(seconds >= minimum && seconds <= kLongestSeconds))
    throw base::InputError(fmt::format("--{} {}: expected seconds, from {} to {}", name, *given, minimum,
                                       static_cast<std::int64_t>(kLongestSeconds)));
  return seconds;
}

survey::collecting::SurveyRequest read_run(const Options& options, std::vector<std::string> command) {
  survey::collecting::SurveyRequest request;
  request.command = std::move(command);
  request.after = read_seconds(options, "after", 0.0);
  request.duration = read_seconds(options, "duration", 0.001);
  request.range = options.text("range").value_or("");
  if (options.has("range") && request.range.empty())
    throw base::InputError("--range: expected the name of an NVTX range, found an empty text");
  const std::uint64_t records = *options.positive_number("records");
  if (records > kMaxRecords)
    throw base::InputError(fmt::format("--records {}: expected at most {}", records, kMaxRecords));
  request.record_limit = static_cast<std::int64_t>(records);
  return request;
}

// The metrics to count. The core set is an empty list.
std::vector<std::string> read_metrics(const Options& options) {
  using session::CounterChoice;
  const std::string text = *options.text("metrics");
  const CounterChoice choice = CounterChoice::parse(text);
  if (choice.set == CounterChoice::Set::kNone)
    throw base::InputError("--metrics none: nothing would be counted; leave out --counters instead");
  profiling::MeasuringOptions measuring;
  choice.apply(model::Objective(), measuring);
  if (measuring.measure_energy)
    throw base::InputError(fmt::format("--metrics {}: a survey does not measure energy", text));
  return measuring.metrics;
}

std::optional<survey::collecting::counting::CountingRequest> read_counting(const Options& options) {
  constexpr std::uint64_t kMaxLaunches = 100;
  if (!options.is_set("counters")) {
    if (options.has("metrics"))
      throw base::InputError("--metrics is for --counters, which reads hardware counters");
    return std::nullopt;
  }
  survey::collecting::counting::CountingRequest counting;
  if (!options.text("counters").value_or("").empty()) {
    const std::uint64_t launches = *options.positive_number("counters");
    if (launches > kMaxLaunches)
      throw base::InputError(fmt::format("--counters={}: expected at most {}", launches, kMaxLaunches));
    counting.launches = static_cast<std::int64_t>(launches);
  }
  counting.metrics = read_metrics(options);
  return counting;
}

// `my_kernel.wtcapture.zst` for `void app::my_kernel<float>(float*)`.
// `MulFunctor.wtcapture.zst` for `*MulFunctor*`.
std::filesystem::path usual_capture_path(const std::string& kernel) {
  const std::string whole =
      survey::analysis::short_kernel_name(kernel, std::numeric_limits<std::size_t>::max());
  const std::string_view plain = survey::analysis::function_name(whole);
  std::string name;
  for (const char letter : plain) {
    if (letter == '*') continue;
    const bool is_plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
    name += is_plain ? letter : '_';
  }
  return (name.empty() ? "kernel" : name) + ".wtcapture.zst";
}

std::optional<survey::collecting::capturing::CaptureRequest> read_capture(const Options& options) {
  const std::optional<std::string> kernel = options.text("capture");
  if (!kernel) {
    for (const char* name : {"capture-launch", "capture-limit", "capture-output"}) {
      if (options.has(name)) throw base::InputError(fmt::format("--{} is for --capture KERNEL", name));
    }
    return std::nullopt;
  }
  if (kernel->empty())
    throw base::InputError("--capture: expected the name of a kernel, found an empty text");
  survey::collecting::capturing::CaptureRequest request;
  request.kernel = *kernel;
  request.launch = *options.positive_number("capture-launch");
  request.limit_mib = *options.positive_number("capture-limit");
  if (request.limit_mib > survey::captures::kMaxCaptureMib)
    throw base::InputError(fmt::format("--capture-limit {}: expected at most {}", request.limit_mib,
                                       survey::captures::kMaxCaptureMib));
  return request;
}

// Options that say how a program is run mean nothing for a stored survey.
void check_program_options(const Options& options) {
  for (const char* name : {"after", "duration", "range", "records", "counters", "metrics", "capture",
                           "capture-launch", "capture-limit", "capture-output"}) {
    if (options.has(name))
      throw base::InputError(
          fmt::format("--{} is for running a program; a stored survey is shown as it is", name));
  }
}

// Two outputs into one file would overwrite each other, and a page or a trace would overwrite the survey from
// which it is made. A survey may be stored again in its place, but no output may replace the database.
void require_different(const surveying::SurveyQuestion& question) {
  using Named = std::pair<const char*, std::optional<std::filesystem::path>>;
  const auto* source = std::get_if<std::filesystem::path>(&question.source);
  const Named inputs[] = {{"FILE", source == nullptr ? std::nullopt : std::optional(*source)},
                          {"--compare", question.compared_with}};
  const Named database{"--db", question.database};
  const Named outputs[] = {
      {"--output", question.output},
      {"--html", question.page},
      {"--trace", question.trace},
      {"--capture-output", question.capturing ? std::optional(question.capture_output) : std::nullopt}};
  const auto require = [](const Named& one, const Named& other) {
    if (one.second && other.second && outputs::is_same_file(*one.second, *other.second))
      throw base::InputError(
          fmt::format("{} and {} name the same file: {}", one.first, other.first, one.second->string()));
  };
  for (std::size_t i = 0; i < std::size(outputs); ++i) {
    for (std::size_t j = i + 1; j < std::size(outputs); ++j) require(outputs[i], outputs[j]);
    require(outputs[i], database);
    for (const Named& input : inputs) {
      if (i > 0) require(outputs[i], input);
    }
  }
}

}  // namespace

std::optional<surveying::SurveyQuestion> parse_survey(const std::vector<std::string>& arguments) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  Options options = declare_survey();
  if (!options.parse({arguments.begin(), dashes})) return std::nullopt;
  surveying::SurveyQuestion read;
  const std::vector<std::string> files = options.texts("FILE");
  const bool has_dashes = dashes != arguments.end();
  if (has_dashes && !files.empty())
    throw base::InputError(fmt::format(
        "a stored survey ({}) and a program to run cannot be combined; --compare FILE compares the two",
        files.front()));
  if (has_dashes && dashes + 1 == arguments.end())
    throw base::InputError("PROGRAM is missing after --; usage: warptune survey -- PROGRAM [ARGUMENT...]");
  if (has_dashes) {
    read.source = read_run(options, {dashes + 1, arguments.end()});
    read.counting = read_counting(options);
    read.capturing = read_capture(options);
    if (read.capturing) {
      read.capture_output =
          options.output_path("capture-output").value_or(usual_capture_path(read.capturing->kernel));
      base::require_writable(read.capture_output);
    }
  } else if (files.empty()) {
    read_counting(options);  // `--counters FILE` takes the file as its N.
    throw base::InputError(
        "a program or a stored survey is missing; usage: warptune survey -- PROGRAM "
        "[ARGUMENT...], or warptune survey FILE");
  } else {
    check_program_options(options);
    read.source = std::filesystem::path(files.front());
  }
  read.output = options.path("output");  // A survey may be stored again in its place (`require_different`).
  if (read.output) base::require_writable(*read.output);
  read.page = options.output_path("html");
  read.trace = options.output_path("trace");
  read.compared_with = options.path("compare");
  read.database = read_named_database(options);
  require_different(read);
  read.json = options.json();
  return read;
}

namespace {

int run_survey(const std::vector<std::string>& arguments) {
  const std::optional<surveying::SurveyQuestion> question = parse_survey(arguments);
  return question ? static_cast<int>(surveying::survey_and_show(*question)) : 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::programs

warptune::tuner::commands::Command warptune::tuner::commands::survey_command() {
  return {"survey", "say what a whole program does on the GPUs, and what to do about it first",
          programs::run_survey, [] { return programs::declare_survey().description(); }};
}
