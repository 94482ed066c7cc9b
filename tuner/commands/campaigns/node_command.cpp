#include <fmt/format.h>
#include <signal.h>
#include <stdio_ext.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/text.h"
#include "fleet/fleet_store.h"
#include "fleet/names.h"
#include "tuner/campaigns/bundle_signature.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/campaigns/node_lines.h"
#include "tuner/json_output/json_form.h"
#include "tuner/nodes/node.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::campaigns {

namespace {

Options declare_node() {
  Options options(
      "node",
      "Runs tasks of campaigns on the GPUs of this machine, until it is stopped. The tasks are in a "
      "store that many nodes share. A node that is stopped (Ctrl-C, SIGTERM, a terminal that closes) "
      "publishes its rows and gives its tasks back. A store that is away is waited for.");
  declare_store(options)
      .value("device", "N|all|N,N...", "which GPUs run tasks, one task each at a time", "all")
      .value("name", "TEXT",
             "the node's name for people, at most 64 bytes; default: the name of this machine")
      .value("allowed-signers", "FILE",
             "run definitions that are signed by a key of FILE (ssh-keygen(1), ALLOWED SIGNERS). Without it, "
             "only those of a spool that nobody else can write into")
      .value("jobs", "N", "number of compile workers of all GPUs together; default: one for each CPU core")
      .value("state", "DIR",
             "folder that keeps what the store has not got yet; default: $XDG_DATA_HOME/warptune/node")
      .flag("until-done", "end when the store has no task left that this node could run")
      .value("idle-exit", "SECONDS", "end a GPU's work after this time without a task")
      .value("progress", "text|json", "json: one line of JSON for each event on standard output", "text")
      .value(
          "publish-every", "SECONDS",
          "how often rows of a running session are published; up to twelve times as rarely if the store is "
          "slow",
          "5")
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

constexpr double kWeekS = 7 * 24 * 3600.0;

std::chrono::milliseconds read_interval(const Options& options, const std::string& name) {
  constexpr double kShortest = 0.01;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(1e3 * read_real(options, name, kShortest, kWeekS)));
}

nodes::NodeOptions read_node(const Options& options) {
  nodes::NodeOptions node;
  node.store = [address = read_store(options)] { return fleet::open_store(address, fleet::Access::kNode); };
  node.devices = gpus::DeviceChoice::parse(*options.text("device"));
  node.name = options.text("name").value_or("");
  fleet::require_node_name(node.name);
  node.allowed_signers = options.path("allowed-signers");
  if (node.allowed_signers) tuner::campaigns::require_signers_file(*node.allowed_signers);
  node.compile_workers = static_cast<std::size_t>(options.positive_number("jobs").value_or(0));
  node.state = options.has("state") ? *options.path("state") : base::data_folder() / "node";
  node.until_done = options.is_set("until-done");
  if (options.has("idle-exit")) node.idle_exit_s = read_real(options, "idle-exit", 0.0, kWeekS);
  node.publish_interval = read_interval(options, "publish-every");
  node.poll_interval = read_interval(options, "poll-every");
  node.replay = options.path("replay");
  node.pace = read_pace(options);
  check_compile_cache(options);
  node.compile_cache = read_compile_cache(options);
  return node;
}

struct NodeCommand {
  nodes::NodeOptions node;
  bool json = false;  ///< Events are lines of JSON.
};

std::optional<NodeCommand> parse_node(const std::vector<std::string>& arguments) {
  Options options = declare_node();
  if (!options.parse(arguments)) return std::nullopt;
  const bool json = *options.choice<bool>("progress", {{"text", false}, {"json", true}});
  return NodeCommand{read_node(options), json};
}

// One line for each event: `gemm task 3, GPU 0: sgemm M=1024`.
std::string event_line(const nodes::NodeEvent& event) {
  std::string where = event.campaign;
  if (event.task) where += fmt::format(" task {}", *event.task);
  if (event.gpu && event.task) where += fmt::format(", GPU {}", *event.gpu);
  if (event.gpu && event.kind == nodes::NodeEvent::Kind::kRoofsMeasured)
    where = fmt::format("GPU {}", *event.gpu);
  return fmt::format("{}{}{}\n", where, where.empty() ? "" : ": ", event.text);
}

// Prints what a node does. The work of a node is not its output: a terminal that closes or a log on a full
// disk does not end it. Only a pipe that its reader has closed does, as users of `head` expect.
class NodePrinter {
 public:
  NodePrinter(bool json, base::InterruptGuard& guard) : json_(json), guard_(guard) {
    // Without a handler, the first write into a closed pipe ends the process. Programs that the node starts
    // have no handler.
    ::signal(SIGPIPE, [](int) {});
  }

  void print(const nodes::NodeEvent& event) {
    if (json_) return write(json_output::to_line(json_output::campaigns::node_event_json(event)) + "\n");
    if (event.kind != nodes::NodeEvent::Kind::kPublished) write(event_line(event));  // It is said too often.
  }
  void print(const nodes::NodeEnd& end) {
    if (json_) return write(json_output::to_line(json_output::campaigns::node_end_json(end)) + "\n");
    write(fmt::format("{} done, {} failed, {}\n", base::counted(end.done, "task"), end.failed,
                      base::counted(end.other, "attempt with another end", "attempts with another end")));
  }
  void write(const std::string& text) {
    errno = 0;
    text_output::print_to(stdout, text);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
    if (errno == EPIPE) guard_.interrupt();
    if (errno != EPIPE && !std::exchange(said_, true))
      base::log_warning(fmt::format("the node goes on, but its output is lost: {}",
                                    std::generic_category().message(errno)));
    ::__fpurge(stdout);  // Otherwise the lost text would be tried again with the next one.
    std::clearerr(stdout);
  }

 private:
  bool json_;
  base::InterruptGuard& guard_;
  bool said_ = false;
};

int node(const NodeCommand& command) {
  base::InterruptGuard guard;
  NodePrinter printer(command.json, guard);
  const nodes::NodeEnd end = nodes::run_node(
      command.node, [&](const nodes::NodeEvent& event) { printer.print(event); }, guard.cancellation());
  printer.print(end);
  if (end.undelivered > 0) {
    const std::string left =
        fmt::format("what {} found waits in {} for the store; start a node with this --state again",
                    base::counted(end.undelivered, "attempt"), command.node.state.string());
    if (command.json) {
      base::log_warning(left);
    } else {
      printer.write(left + "\n");
    }
    return static_cast<int>(base::ExitCode::kMachineCannot);  // Whoever started the node keeps its folder.
  }
  // Schedulers end jobs with SIGTERM, and nothing has failed then. The same holds for a terminal that closes
  // and for a reader that has seen enough (no signal).
  if (end.interrupted)
    return static_cast<int>(guard.signal() == SIGINT ? base::ExitCode::kInterrupted : base::ExitCode::kDone);
  if (end.gpus_failed) throw base::MachineError("a GPU of this node could not be used any more", "see above");
  return 0;
}

int run_node_command(const std::vector<std::string>& arguments) {
  const std::optional<NodeCommand> command = parse_node(arguments);
  return command ? node(*command) : 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::campaigns

warptune::tuner::commands::Command warptune::tuner::commands::node_command() {
  return {"node", "run tasks of campaigns on the GPUs of this machine", campaigns::run_node_command,
          [] { return campaigns::declare_node().description(); }};
}
