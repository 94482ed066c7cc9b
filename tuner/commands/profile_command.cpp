#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/interrupt.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/explaining/profile_session.h"
#include "tuner/json_output/profile_json.h"
#include "tuner/text_output/profile_report.h"
#include "tuner/text_output/progress_display.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

Options declare_profile() {
  Options options(
      "profile KERNEL",
      "Shows what the hardware counters say of one configuration of KERNEL (a shipped name, a path to a "
      ".cu or .toml, or a recording), and what is wrong with it.");
  declare_kernel(options, 1, 1)
      .values("set", "NAME=VALUE",
              "a parameter of the configuration; may be repeated. Others as in the best known")
      .flag("default", "begin from the definition's default instead of the best known")
      .flag("stored", "show what is stored; measure nothing");
  declare_workload(options);
  declare_measuring(options)
      .flag("source", "the lines where warps were found most, and waiting for what, by sampling on the GPU")
      .flag("raw", "every counter by its name, too")
      .common();
  options
      .example(
          "profile transpose",
          "Measures the best known configuration with all counters and says what keeps it from being faster.")
      .example("profile transpose --stored", "Shows the counters that are stored; no GPU is needed.")
      .related({"explain", "metrics", "report"});
  return options;
}

/// What a person asked of `profile`, read from the command line once.
struct ProfileOptions {
  explaining::ProfileRequest request;
  bool raw = false;
  bool json = false;
};

ProfileOptions read_profile(const Options& options) {
  ProfileOptions profile;
  explaining::ProfileRequest& request = profile.request;
  request.measurement = read_measurement(options);
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
    text_output::print_error("interrupted before the configuration was measured\n");
    return static_cast<int>(base::ExitCode::kInterrupted);
  }
  if (asked->json) {
    text_output::print_out("{}\n", json_output::profile_json(*profile));
  } else {
    text_output::print_out(
        "{}", text_output::profile_text(*profile, asked->raw, text_output::terminal_width(stdout)));
  }
  return guard.cancellation().is_cancelled() ? static_cast<int>(base::ExitCode::kInterrupted) : 0;
}

}  // namespace

Command profile_command() {
  return {"profile", "what the hardware counters say of one configuration", run_profile,
          [] { return declare_profile().description(); }};
}

}  // namespace warptune::tuner::commands
