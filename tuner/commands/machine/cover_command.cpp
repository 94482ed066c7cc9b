#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "kernel_templates/library.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/commands/winner_options.h"
#include "tuner/covering/cover_json.h"
#include "tuner/covering/cover_session.h"
#include "tuner/covering/cover_text.h"
#include "tuner/covers/cover_note.h"
#include "tuner/exporting/recommended_tables.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::machine {

namespace {

Options declare_cover() {
  Options options("cover KERNEL --sizes RANGE|FILE",
                  "Finds few configurations for a whole range of sizes, such that no size loses more than a "
                  "limit. A list of conditions, or a formula of the time for each configuration, says which "
                  "one answers which size. "
                  "KERNEL is the name of a shipped kernel, or the path of a .cu or .toml file.");
  declare_kernel(options, 1, 1)
      .value(
          "sizes", "RANGE|FILE",
          "a range, for example 'M=64..8192 log2, N=64..8192 step 64, K={128,1000}', or a file. Each line of "
          "a file is a size, for example: M=64 N=128 K=1000 weight 3")
      .value("within", "P%", "the most that a size may lose against its best known configuration", "5%")
      .value("configurations", "N",
             "at most so many configurations; if that is too few for the limit, some sizes lose more")
      .value("budget", "N|TIME",
             "when to stop: evaluations, earlier runs of the same cover included, or a time such as 10m",
             "2000")
      .value("checks", "N",
             "how many sizes, drawn at random, are held back: they take no part, and say how sure the result "
             "is",
             "10")
      .value("check-budget", "N|TIME", "how long each size that is held back is tuned", "64")
      .value("recommended", "FILE",
             "file into which the result is written, too, as [[recommended]] tables for the definition");
  declare_sizes(options);
  declare_reproducible(options);
  declare_measured_cache_state(options)
      .value("device", "N", "number of the GPU that measures", "0")
      .value("jobs", "N", "number of compile workers; default: one for each CPU core");
  declare_compile_cache(options);
  declare_timeout(options).value("seed", "N", "seed of the sizes, the searches and the input data", "1");
  declare_database(options);
  declare_permissions(options).common();
  options
      .example("cover sgemm --sizes 'M=64..8192 log2, N=64..8192 log2, K=64..8192 log2'",
               "Finds configurations that lose at most 5 % at any of these sizes.")
      .example("cover softmax --sizes sizes.txt --within 3% --budget 10m",
               "Does the same for the sizes that a program uses, which a file lists with their weights.")
      .example("cover softmax --sizes 'ROWS=64..65536, COLUMNS=64..8192' --reproducible",
               "Finds configurations that all give the bits of the default, whichever size a program has.")
      .related({"tune", "query", "recheck"});
  return options;
}

/// The arguments of `warptune cover`, parsed and checked.
struct CoverOptions {
  covering::CoverRequest request;
  std::optional<std::filesystem::path> recommended;  ///< The file of the `[[recommended]]` tables.
  bool json = false;
};

session::Budget read_limited_budget(const Options& options, const std::string& name) {
  const std::string text = *options.text(name);
  session::Budget budget;
  try {
    budget = session::Budget::parse(text);
  } catch (const base::InputError&) {  // Its message names another option.
  }
  if (!budget.evaluations && !budget.seconds)
    throw base::InputError(fmt::format(
        "--{} {}: expected a number of evaluations or a time, for example 200 or 60s", name, text));
  return budget;
}

CoverOptions read_cover(const Options& options) {
  constexpr std::uint64_t kMaxChecks = 1000;
  constexpr std::uint64_t kMaxDevice = 1023;
  CoverOptions cover;
  covering::CoverRequest& request = cover.request;
  request.kernel = options.required("KERNEL");
  if (!options.has("sizes"))
    throw base::InputError("--sizes is missing: expected a range such as M=64..8192, or a file");
  request.goal.range = covers::read_sizes(*options.text("sizes"));
  request.goal.limit_share = read_within(options, false);
  request.goal.budget = read_limited_budget(options, "budget");
  request.goal.check_budget = read_limited_budget(options, "check-budget");
  const std::uint64_t checks = *options.number("checks");
  if (checks > kMaxChecks)
    throw base::InputError(fmt::format("--checks {}: expected at most {}", checks, kMaxChecks));
  request.goal.checks = static_cast<std::size_t>(checks);
  if (const std::optional<std::uint64_t> most = options.number("configurations")) {
    if (*most == 0 || *most > covers::kMaxCoverConfigurations)
      throw base::InputError(
          fmt::format("--configurations {}: expected 1 to {}", *most, covers::kMaxCoverConfigurations));
    request.goal.max_configurations = static_cast<std::size_t>(*most);
  }
  request.goal.reproducible = read_reproducible(options);
  request.sizes = read_sizes(options);
  const std::uint64_t device = *options.number("device");
  if (device > kMaxDevice) throw base::InputError(fmt::format("--device {}: there is no such GPU", device));
  request.device = static_cast<int>(device);
  request.compile_workers = static_cast<std::size_t>(options.number("jobs").value_or(0));
  check_compile_cache(options);
  request.measuring.compile_cache = read_compile_cache(options);
  request.measuring.cache = read_measured_cache_state(options);
  request.goal.seed = request.measuring.seed = *options.number("seed");
  request.timeout = read_timeout(options);
  request.permissions = read_permissions(options);
  request.database = read_database(options);
  cover.recommended = options.output_path("recommended");
  cover.json = options.json();
  return cover;
}

std::optional<CoverOptions> parse_cover(const std::vector<std::string>& arguments) {
  Options options = declare_cover();
  if (!options.parse(arguments)) return std::nullopt;
  return read_cover(options);
}

// Shows each warning of the sessions once. What they measure is shown by size.
class CoverWarnings : public session::SessionListener {
 public:
  void on_event(const session::SessionEvent& event) override {
    const auto* warning = std::get_if<session::SessionWarning>(&event);
    if (warning != nullptr && shown_.insert(warning->text).second)
      text_output::print_error("warning: {}\n", warning->text);
  }

 private:
  std::set<std::string> shown_;
};

int cover(const CoverOptions& options) {
  if (options.recommended)  // Refused now rather than after all has been measured.
    exporting::require_default(
        kernel_templates::load_kernel(options.request.kernel, options.request.permissions));
  const base::InterruptGuard guard;
  CoverWarnings warnings;
  const covering::CoverResult result = covering::cover_sizes(
      options.request, warnings,
      [&](const covering::CoverProgress& progress) {
        text_output::print_error("{}", covering::progress_line(options.request, progress));
      },
      guard.cancellation());
  if (options.json)
    text_output::print_out("{}\n", covering::cover_json(options.request, result));
  else
    text_output::print_text("{}", covering::cover_text(options.request, result));
  if (result.outcome.interrupted) return static_cast<int>(base::ExitCode::kInterrupted);
  if (options.recommended && result.outcome.cover) {
    const covering::CoverGoal& goal = options.request.goal;
    base::write_file_atomically(
        *options.recommended,
        exporting::recommended_tables({goal.range, goal.limits(), result.workload, result.table},
                                      *result.outcome.cover));
  }
  return static_cast<int>(result.outcome.cover ? base::ExitCode::kDone : base::ExitCode::kWorkFailed);
}

int run_cover(const std::vector<std::string>& arguments) {
  const std::optional<CoverOptions> options = parse_cover(arguments);
  return options ? cover(*options) : 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::machine

warptune::tuner::commands::Command warptune::tuner::commands::cover_command() {
  return {"cover", "find few configurations for a whole range of sizes", machine::run_cover,
          [] { return machine::declare_cover().description(); }};
}
