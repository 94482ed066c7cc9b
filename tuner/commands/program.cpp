#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <new>

#include "base/environment.h"
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

const Command& command_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.emplace_back(command.name);
  }
  throw base::InputError(
      fmt::format("unknown command '{}'{}; see warptune --help", name, base::did_you_mean(name, names)));
}

namespace {

// `warptune worker ROLE DESCRIPTOR NAME ...`: hidden, how this program starts its own workers.
int run_hidden_worker(const std::vector<std::string>& arguments) {
  if (arguments.size() < 4) throw base::InputError("worker is for warptune's own use");
  std::FILE* const log = ::fdopen(processes::kLogDescriptor, "w");  // Standard error is what kernels print.
  const std::string level =
      base::environment(base::Variable::kLogLevel).value_or("warn");  // The coordinator's.
  base::set_up_log(log == nullptr ? "off" : level, arguments[3], log == nullptr ? stderr : log);
  const int code = workers::run_worker({arguments.begin() + 1, arguments.end()});
  std::clearerr(stdout);  // More was printed than is kept.
  return code;
}

// A program started with standard streams closed would get sockets and the database at their numbers, and
// print into them. Standard output stays unwritable so that what is lost is noticed.
void occupy_standard_streams() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    if (::fcntl(descriptor, F_GETFD) >= 0) continue;
    ::open("/dev/null", descriptor == STDERR_FILENO ? O_WRONLY : O_RDONLY);  // The lowest free: this one.
  }
}

// Past the limit on the size of files a write fails with a reason, instead of ending the program.
void survive_full_files() { ::signal(SIGXFSZ, SIG_IGN); }

void require_written() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw base::MachineError("standard output could not be written",
                           "see whether it is open and its disk has room");
}

int dispatch(const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    text_output::print_to(stderr, overview());
    return static_cast<int>(base::ExitCode::kBadInput);
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h") {
    text_output::print_to(stdout, overview());
    return 0;
  }
  if (first == "--version" || first == "-V") {
    text_output::print_out("warptune {}\n", base::kVersion);
    return 0;
  }
  if (first == "worker") return run_hidden_worker(arguments);
  return command_named(first).run({arguments.begin() + 1, arguments.end()});
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
    return end_with("memory is exhausted; make some free, or give a smaller file or space",
                    base::ExitCode::kMachineCannot);
  } catch (const std::exception& error) {
    return end_with(std::string("unexpected: ") + error.what(), base::ExitCode::kWorkFailed);
  }
}

}  // namespace warptune::tuner::commands
