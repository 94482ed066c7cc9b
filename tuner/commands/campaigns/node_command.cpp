#include <fmt/format.h>
#include <signal.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/text.h"
#include "fleet/fleet_store.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/nodes/node.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::campaigns {

namespace {

Options declare_node() {
  Options options(
      "node",
      "Runs tasks of campaigns on the GPUs of this machine, until it is stopped. The tasks are in a "
      "store that many "
      "nodes share. A node that is stopped with Ctrl-C or SIGTERM publishes its rows and gives its "
      "tasks back.");
  declare_store(options)
      .value("device", "N|all|N,N...", "which GPUs run tasks, one task each at a time", "all")
      .value("name", "TEXT", "the node's name for people; default: the name of this machine")
      .value("allowed-signers", "FILE",
             "run definitions that are signed by a key of FILE (ssh-keygen(1), ALLOWED SIGNERS). Without it, "
             "only those of a spool that nobody else can write into")
      .value("jobs", "N", "number of compile workers of all GPUs together; default: one for each CPU core")
      .value("state", "DIR",
             "folder that keeps what the store has not got yet; default: $XDG_DATA_HOME/warptune/node")
      .flag("until-done", "end when the store has no task left that this node could run")
      .value("idle-exit", "SECONDS", "end a GPU's work after this time without a task")
      .value("publish-every", "SECONDS", "how often rows of a running session are published", "5")
      .value("poll-every", "SECONDS", "how often a GPU without a task asks for one", "2")
      .value("replay", "DIR",
             "use the recordings in DIR instead of GPUs, to try out campaigns; it offers the recorded GPUs")
      .value("pace", "X", "a replay takes X times the recorded time; 0: no time", "1");
  declare_compile_cache(options).help_and_log_level();
  options
      .example("node --store spool:/shared/campaigns", "Runs tasks of a shared folder until it is stopped.")
      .example("node --store spool:/shared/campaigns --device 0,1 --until-done",
               "Uses two GPUs, and ends when there is nothing left to do.")
      .related({"campaign", "tune", "devices"});
  return options;
}

// A number of seconds, at most a week, in which `minimum` is allowed.
double read_seconds(const Options& options, const std::string& name, double minimum) {
  constexpr double kWeek = 7 * 24 * 3600.0;
  const std::string text = *options.text(name);
  const std::optional<model::Value> value = model::parse_value(text, model::ValueType::kReal);
  const double seconds = value ? std::get<double>(*value) : -1.0;
  if (seconds >= minimum && seconds <= kWeek) return seconds;
  throw base::InputError(fmt::format("--{} {}: expected a number from {} to {}", name, text, minimum, kWeek));
}

std::chrono::milliseconds read_interval(const Options& options, const std::string& name) {
  constexpr double kShortest = 0.01;
  return std::chrono::milliseconds(static_cast<std::int64_t>(1e3 * read_seconds(options, name, kShortest)));
}

nodes::NodeOptions read_node(const Options& options) {
  nodes::NodeOptions node;
  node.store = [address = read_store(options)] { return fleet::open_store(address, fleet::Access::kNode); };
  node.devices = gpus::DeviceChoice::parse(*options.text("device"));
  node.name = options.text("name").value_or("");
  node.allowed_signers = options.path("allowed-signers");
  if (node.allowed_signers) base::read_file(*node.allowed_signers);  // Throws if it cannot be read.
  node.compile_workers = static_cast<std::size_t>(options.positive_number("jobs").value_or(0));
  node.state = options.has("state") ? *options.path("state") : base::data_folder() / "node";
  node.until_done = options.is_set("until-done");
  if (options.has("idle-exit")) node.idle_exit_s = read_seconds(options, "idle-exit", 0.0);
  node.publish_interval = read_interval(options, "publish-every");
  node.poll_interval = read_interval(options, "poll-every");
  node.replay = options.path("replay");
  if (options.has("pace") && !node.replay) throw base::InputError("--pace needs --replay");
  node.pace = read_seconds(options, "pace", 0.0);
  check_compile_cache(options);
  node.compile_cache = read_compile_cache(options);
  return node;
}

std::optional<nodes::NodeOptions> parse_node(const std::vector<std::string>& arguments) {
  Options options = declare_node();
  if (!options.parse(arguments)) return std::nullopt;
  return read_node(options);
}

// One line for each event: `gemm task 3, GPU 0: sgemm M=1024`.
void print_event(const nodes::NodeEvent& event) {
  using Kind = nodes::NodeEvent::Kind;
  std::string where;
  if (!event.campaign.empty()) {
    where =
        event.kind == Kind::kRefused ? event.campaign : fmt::format("{} task {}", event.campaign, event.task);
  }
  if (event.gpu && !event.campaign.empty() && event.kind != Kind::kRefused)
    where += fmt::format(", GPU {}", *event.gpu);
  text_output::print_out("{}{}{}\n", where, where.empty() ? "" : ": ", event.text);
  std::fflush(stdout);
}

int node(const nodes::NodeOptions& options) {
  const base::InterruptGuard guard;
  const nodes::NodeEnd end = nodes::run_node(options, print_event, guard.cancellation());
  text_output::print_out("{} done, {} failed, {}\n", base::counted(end.done, "task"), end.failed,
                         base::counted(end.other, "attempt with another end", "attempts with another end"));
  if (end.undelivered > 0) {
    text_output::print_out("what {} found waits in {} for the store; start a node with this --state again\n",
                           base::counted(end.undelivered, "attempt"), options.state.string());
    return static_cast<int>(base::ExitCode::kMachineCannot);  // Whoever started the node keeps its folder.
  }
  // Schedulers end jobs with SIGTERM, and nothing has failed then.
  if (end.interrupted)
    return static_cast<int>(guard.signal() == SIGTERM ? base::ExitCode::kDone : base::ExitCode::kInterrupted);
  if (end.gpus_failed) throw base::MachineError("a GPU of this node could not be used any more", "see above");
  return 0;
}

int run_node_command(const std::vector<std::string>& arguments) {
  const std::optional<nodes::NodeOptions> options = parse_node(arguments);
  return options ? node(*options) : 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::campaigns

warptune::tuner::commands::Command warptune::tuner::commands::node_command() {
  return {"node", "run tasks of campaigns on the GPUs of this machine", campaigns::run_node_command,
          [] { return campaigns::declare_node().description(); }};
}
