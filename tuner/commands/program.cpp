#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "base/error.h"
#include "base/log.h"
#include "base/text.h"
#include "base/version.h"
#include "tuner/commands/command.h"
#include "tuner/processes/worker_process.h"
#include "tuner/text_output/terminal.h"
#include "tuner/workers/workers.h"

namespace warptune::tuner::commands {

const std::vector<Command>& commands() {
#define WARPTUNE_MADE(name) name##_command(),
  static const std::vector<Command> kCommands = {WARPTUNE_COMMANDS(WARPTUNE_MADE)};
#undef WARPTUNE_MADE
  return kCommands;
}

namespace {

std::string overview() {
  std::string text =
      "Usage: warptune COMMAND [options]\n\nTunes CUDA kernels: measures configurations, stores and "
      "explains the results, and exports the best.\n\nCommands\n";
  for (const Command& command : commands())
    text += fmt::format("  {:<11} {}\n", command.name, command.summary);
  text +=
      "\nEach command has --help. Exit codes: 0 done; 1 the work failed; 2 bad input; 3 this machine cannot "
      "do "
      "it; 130 interrupted.\n";
  return text;
}

// `warptune worker ROLE DESCRIPTOR NAME ...`: this hidden command is how the program starts its own workers.
int run_hidden_worker(const std::vector<std::string>& arguments) {
  if (arguments.size() < 4)
    throw base::InputError("warptune starts its workers itself: do not call 'warptune worker'");
  std::FILE* const log = ::fdopen(processes::kLogDescriptor, "w");  // Standard error gets what kernels print.
  const char* level = std::getenv("WARPTUNE_LOG_LEVEL");  // Set from --log-level by the coordinator.
  base::set_up_log(log == nullptr     ? "off"
                   : level != nullptr ? level
                                      : "warn",
                   arguments[3], log == nullptr ? stderr : log);
  const int code = workers::run_worker({arguments.begin() + 1, arguments.end()});
  std::clearerr(stdout);  // Kernels may print more than is kept.
  return code;
}

// When the program starts with closed standard streams, sockets and the database would get their descriptors,
// and the program would print into them. This function opens /dev/null in their place. Standard output stays
// unwritable, so that a loss of output is noticed.
void occupy_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);  // Gets the lowest free number.
  }
}

// A write beyond the limit on file sizes then fails with a reason instead of ending the program.
void survive_full_files() { ::signal(SIGXFSZ, SIG_IGN); }

void require_written() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw base::MachineError("standard output could not be written",
                           "check that it is open and that its disk has free space");
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() == "--help" || arguments.front() == "-h" ||
      arguments.front() == "help") {
    text_output::print_to(arguments.empty() ? stderr : stdout, overview());
    return arguments.empty() ? static_cast<int>(base::ExitCode::kBadInput) : 0;
  }
  if (arguments.front() == "--version") {
    text_output::print_out("warptune {}\n", base::kVersion);
    return 0;
  }
  if (arguments.front() == "worker") return run_hidden_worker(arguments);
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == arguments.front()) return command.run({arguments.begin() + 1, arguments.end()});
    names.emplace_back(command.name);
  }
  throw base::InputError(fmt::format("unknown command '{}'{}; see warptune --help", arguments.front(),
                                     base::did_you_mean(arguments.front(), names)));
}

int end_with(const std::string& why, base::ExitCode code) {
  std::fflush(stdout);
  text_output::print_error("warptune: {}\n", why);
  return static_cast<int>(code);
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  try {
    occupy_standard_streams();
    survive_full_files();
    const int code = dispatch(arguments);
    require_written();
    return code;
  } catch (const base::Error& error) {
    return end_with(error.what(), error.exit_code());
  } catch (const std::bad_alloc&) {
    return end_with("memory is exhausted; free some, or use a smaller file or space",
                    base::ExitCode::kMachineCannot);
  } catch (const std::exception& error) {
    return end_with(std::string("unexpected: ") + error.what(), base::ExitCode::kWorkFailed);
  }
}

}  // namespace warptune::tuner::commands
