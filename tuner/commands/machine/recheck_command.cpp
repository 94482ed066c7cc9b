#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/interrupt.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/commands/winner_options.h"
#include "tuner/gpus/local_gpus.h"
#include "tuner/rechecking/recheck_json.h"
#include "tuner/rechecking/recheck_session.h"
#include "tuner/rechecking/recheck_text.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::machine {

namespace {

Options declare_recheck() {
  Options options("recheck [KERNEL...]",
                  "Measures stored winners of this GPU and their nearest rivals again, for example after a "
                  "driver or toolkit update, and says what still holds. Rows are added; earlier ones stay. "
                  "KERNEL is the name of a shipped kernel, or the path of a .cu or .toml file. Without it, "
                  "the winners of all shipped kernels are measured again.");
  declare_kernel(options, 0, -1)
      .values("size", "NAME=VALUE", "only winners whose problem has this size or type; may be repeated")
      .value("device", "N", "number of the GPU that measures", "0")
      .value("rivals", "N",
             "how many other configurations to measure beside each winner: the nearest that are at most 5 % "
             "slower",
             "3")
      .value("within", "P%", "report a winner as slower or faster if its time changed by more than this",
             "3%")
      .flag("ci",
            "exit with code 1 if any winner is slower, flipped or fails, or if one of this GPU is not "
            "measured again")
      .flag("dry-run", "measure nothing, only list what would be measured")
      .value("jobs", "N", "number of compile workers; default: one for each CPU core");
  declare_reproducible(options);
  declare_compile_cache(options);
  declare_timeout(options).value("seed", "N", "seed of the random input data", "1");
  declare_database(options);
  declare_permissions(options).common();
  options.example("recheck", "Measures the winners of all shipped kernels on this GPU again.")
      .example("recheck sgemm --size M=4096 --dry-run", "Lists which winners of a kernel would be measured.")
      .example("recheck my_kernel.cu --ci --within 5%",
               "Fails if a winner became more than 5 % slower, or is no longer the best.")
      .example("recheck softmax --reproducible --ci", "Also fails if the bits of its outputs have changed.")
      .related({"tune", "query", "show"});
  return options;
}

/// The arguments of `warptune recheck`, parsed and checked.
struct RecheckOptions {
  rechecking::RecheckRequest request;
  bool ci = false;
  bool dry_run = false;
  bool json = false;
};

RecheckOptions read_recheck(const Options& options) {
  constexpr std::uint64_t kMaxRivals = 100;
  constexpr std::uint64_t kMaxDevice = 1023;
  RecheckOptions recheck;
  rechecking::RecheckRequest& request = recheck.request;
  request.kernels = options.texts("KERNEL");
  request.sizes = read_sizes(options);
  const std::uint64_t device = *options.number("device");
  if (device > kMaxDevice) throw base::InputError(fmt::format("--device {}: there is no such GPU", device));
  request.device = static_cast<int>(device);
  const std::uint64_t rivals = *options.number("rivals");
  if (rivals > kMaxRivals)
    throw base::InputError(fmt::format("--rivals {}: expected at most {}", rivals, kMaxRivals));
  request.rivals = static_cast<std::size_t>(rivals);
  request.limit_share = read_within(options, true);
  request.compile_workers = static_cast<std::size_t>(options.number("jobs").value_or(0));
  check_compile_cache(options);
  request.measuring.compile_cache = read_compile_cache(options);
  request.measuring.seed = *options.number("seed");
  request.timeout = read_timeout(options);
  request.permissions = read_permissions(options);
  request.reproducible = read_reproducible(options);
  request.database = read_written_database(options);
  recheck.ci = options.is_set("ci");
  recheck.dry_run = options.is_set("dry-run");
  recheck.json = options.json();
  return recheck;
}

std::optional<RecheckOptions> parse_recheck(const std::vector<std::string>& arguments) {
  Options options = declare_recheck();
  if (!options.parse(arguments)) return std::nullopt;
  return read_recheck(options);
}

// Shows the warnings of sessions. What they measure is shown by workload.
class Warnings : public session::SessionListener {
 public:
  void on_event(const session::SessionEvent& event) override {
    if (const auto* warning = std::get_if<session::SessionWarning>(&event))
      text_output::print_error("warning: {}\n", warning->text);
  }
};

void require_any(const rechecking::RecheckPlan& plan) {
  if (!plan.workloads.empty()) return;
  throw base::WorkError(fmt::format(
      "there is nothing to measure again: the database has no winner of {} that fits{}", plan.gpu.name,
      plan.skipped.empty() ? "" : fmt::format("; stored are {}", rechecking::skipped_text(plan.skipped))));
}

int recheck(const RecheckOptions& options) {
  const rechecking::RecheckPlan plan = rechecking::plan_recheck(options.request, gpus::list_local_gpus);
  require_any(plan);
  if (options.dry_run) {
    if (options.json)
      text_output::print_out("{}\n", rechecking::recheck_json(options.request, plan, std::nullopt));
    else
      text_output::print_text("{}", rechecking::plan_text(plan));
    return 0;
  }
  const base::InterruptGuard guard;
  Warnings warnings;
  std::size_t done = 0;
  const auto show = [&](const rechecking::RecheckResult& result) {
    text_output::print_error("{} of {}: {}", ++done, plan.workloads.size(), rechecking::result_line(result));
  };
  const rechecking::RecheckOutcome outcome =
      rechecking::recheck(options.request, plan, warnings, show, guard.cancellation());
  if (options.json)
    text_output::print_out("{}\n", rechecking::recheck_json(options.request, plan, outcome));
  else
    text_output::print_text("{}", rechecking::recheck_text(outcome, plan));
  if (outcome.interrupted) return static_cast<int>(base::ExitCode::kInterrupted);
  const bool passed = std::all_of(
      outcome.results.begin(), outcome.results.end(),
      [](const rechecking::RecheckResult& one) { return rechecking::passes(one.judgement.verdict); });
  const std::string unchecked = options.ci ? rechecking::unchecked_text(plan) : "";
  if (!unchecked.empty()) text_output::print_error("the check does not pass:\n{}", unchecked);
  const bool is_bad = options.ci && (!passed || !unchecked.empty());
  return static_cast<int>(is_bad ? base::ExitCode::kWorkFailed : base::ExitCode::kDone);
}

int run_recheck(const std::vector<std::string>& arguments) {
  const std::optional<RecheckOptions> options = parse_recheck(arguments);
  return options ? recheck(*options) : 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::machine

warptune::tuner::commands::Command warptune::tuner::commands::recheck_command() {
  return {"recheck", "measure stored winners again, and say what still holds", machine::run_recheck,
          [] { return machine::declare_recheck().description(); }};
}
