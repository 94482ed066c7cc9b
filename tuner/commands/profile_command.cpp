#include <fmt/format.h>

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
      .common();
  options
      .example(
          "profile transpose",
          "Measures the best known configuration with all counters and says what keeps it from being faster.")
      .example("profile transpose --stored", "Shows the counters that are stored; no GPU is needed.")
      .related({"explain", "metrics", "report"});
  return options;
}

/// The arguments of `warptune profile`, parsed and checked.
struct ProfileOptions {
  explaining::ProfileRequest request;
  bool raw = false;
  bool json = false;
};

ProfileOptions read_profile(const Options& options) {
  ProfileOptions profile;
  explaining::ProfileRequest& request = profile.request;
  request.measurement = read_measurement(options, !options.is_set("stored"));
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

int run_profile(const std::vector<std::string>& arguments) {
  const std::optional<ProfileOptions> asked = parse_profile(arguments);
  if (!asked) return 0;
  const base::InterruptGuard guard;
  text_output::ProgressDisplay display(stderr, false, false);
  const std::optional<explaining::Profile> profile =
      explaining::profile(asked->request, display, guard.cancellation());
  if (!profile) {
    const std::string message = "interrupted before the configuration was measured";
    if (asked->json)
      text_output::print_out("{}\n", json_output::to_text(json_output::interruption_json(message)));
    text_output::print_error("{}\n", message);
    return static_cast<int>(base::ExitCode::kInterrupted);
  }
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
