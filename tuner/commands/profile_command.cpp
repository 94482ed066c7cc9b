#include <fmt/format.h>

#include <chrono>
#include <optional>

#include "base/error.h"
#include "base/interrupt.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/explaining/profile_session.h"
#include "tuner/json_output/error_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/profile_json.h"
#include "tuner/sanitizing/sanitize_json.h"
#include "tuner/sanitizing/sanitize_session.h"
#include "tuner/sanitizing/sanitize_text.h"
#include "tuner/text_output/profile_report.h"
#include "tuner/text_output/progress_display.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

Options declare_profile() {
  Options options(
      "profile KERNEL",
      "Shows the hardware counters of one configuration of KERNEL and diagnoses its performance problems. "
      "KERNEL is the name of a shipped kernel, the path of a .cu or .toml file, or a "
      "recording.");
  declare_kernel(options, 1, 1)
      .values("set", "NAME=VALUE",
              "a value of the configuration; may be repeated. Other parameters are as in the best known one")
      .flag("default", "start from the definition's default instead of the best known configuration")
      .flag("stored", "show stored counters; measure nothing");
  declare_workload(options);
  declare_measuring(options)
      .flag("source", "also sample on the GPU at which source lines warps are, and what they wait for")
      .flag("raw", "also show every counter by its name")
      .flag("sanitize",
            "measure nothing; run the default and the best known configuration under NVIDIA's "
            "compute-sanitizer")
      .value("sanitize-seconds", "N", "time limit of --sanitize for each tool and configuration", "60")
      .common();
  options
      .example(
          "profile transpose",
          "Measures the best known configuration with all counters and says what keeps it from being faster.")
      .example("profile transpose --stored", "Shows the counters that are stored; no GPU is needed.")
      .example("profile saxpy.cu --sanitize", "Looks for wrong memory accesses and races of your own kernel.")
      .related({"explain", "metrics", "report"});
  return options;
}

/// The arguments of `warptune profile`, parsed and checked.
struct ProfileOptions {
  explaining::ProfileRequest request;
  bool sanitize = false;
  std::chrono::seconds sanitize_limit{60};
  bool raw = false;
  bool json = false;
};

void check_sanitize(const Options& options) {
  const bool is_set = options.is_set("sanitize");
  if (!is_set && options.has("sanitize-seconds"))
    throw base::InputError("--sanitize-seconds needs --sanitize");
  for (const char* other : {"stored", "source", "raw"}) {
    if (is_set && options.is_set(other))
      throw base::InputError(
          fmt::format("expected only one of --sanitize and --{}: --sanitize measures nothing", other));
  }
}

// The operating system's alarm, which ends a launch, is not set for more than a day.
std::chrono::seconds read_sanitize_limit(const Options& options) {
  constexpr std::uint64_t kMaxSeconds = 86000;
  const std::uint64_t seconds = options.positive_number("sanitize-seconds").value_or(60);
  if (seconds > kMaxSeconds)
    throw base::InputError(fmt::format("--sanitize-seconds is {}, but at most {}", seconds, kMaxSeconds));
  return std::chrono::seconds(seconds);
}

ProfileOptions read_profile(const Options& options) {
  check_sanitize(options);
  ProfileOptions profile;
  profile.sanitize = options.is_set("sanitize");
  if (profile.sanitize && options.has("sanitize-seconds"))
    profile.sanitize_limit = read_sanitize_limit(options);
  explaining::ProfileRequest& request = profile.request;
  request.measurement = read_measurement(options, !options.is_set("stored") && !profile.sanitize);
  request.workload = {read_workload(options), options.required("KERNEL")};
  request.changes = options.assignments("set");
  request.from_default = options.is_set("default");
  request.stored = options.is_set("stored");
  request.hot_lines = options.is_set("source");
  profile.raw = options.is_set("raw");
  profile.json = options.json();
  return profile;
}

std::optional<ProfileOptions> parse_profile(const std::vector<std::string>& arguments) {
  Options options = declare_profile();
  if (!options.parse(arguments)) return std::nullopt;
  return read_profile(options);
}

int end_interrupted(bool json, const std::string& message) {
  if (json) text_output::print_out("{}\n", json_output::to_text(json_output::interruption_json(message)));
  text_output::print_error("{}\n", message);
  return static_cast<int>(base::ExitCode::kInterrupted);
}

int run_sanitize(const ProfileOptions& asked, session::SessionListener& listener,
                 const base::Cancellation& cancellation) {
  const std::optional<sanitizing::SanitizeReport> report =
      sanitizing::sanitize({asked.request, asked.sanitize_limit}, listener, cancellation);
  if (!report) return end_interrupted(asked.json, "interrupted before all checks were made");
  if (asked.json) {
    text_output::print_out("{}\n", sanitizing::sanitize_json(*report));
  } else {
    text_output::print_text("{}", sanitizing::sanitize_text(*report));
  }
  const bool is_good = report->errors() == 0 && report->unfinished() == 0;
  return static_cast<int>(is_good ? base::ExitCode::kDone : base::ExitCode::kWorkFailed);
}

int run_profile(const std::vector<std::string>& arguments) {
  const std::optional<ProfileOptions> asked = parse_profile(arguments);
  if (!asked) return 0;
  const base::InterruptGuard guard;
  text_output::ProgressDisplay display(stderr, false, false);
  if (asked->sanitize) return run_sanitize(*asked, display, guard.cancellation());
  const std::optional<explaining::Profile> profile =
      explaining::profile(asked->request, display, guard.cancellation());
  if (!profile) return end_interrupted(asked->json, "interrupted before the configuration was measured");
  if (asked->json) {
    text_output::print_out("{}\n", json_output::to_text(json_output::profile_json(*profile)));
  } else {
    text_output::print_text(
        "{}", text_output::profile_text(*profile, asked->raw, text_output::terminal_width(stdout)));
  }
  return guard.cancellation().is_cancelled() ? static_cast<int>(base::ExitCode::kInterrupted) : 0;
}

}  // namespace

Command profile_command() {
  return {"profile", "show the hardware counters of one configuration and diagnose it", run_profile,
          [] { return declare_profile().description(); }};
}

}  // namespace warptune::tuner::commands
