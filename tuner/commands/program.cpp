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
#include "tuner/json_output/error_json.h"
#include "tuner/json_output/json_form.h"
#include "tuner/processes/worker_process.h"
#include "tuner/text_output/style.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"
#include "tuner/workers/workers.h"

namespace warptune::tuner::commands {

const std::vector<Command>& commands() {
// Each command of the list becomes a call of its function, which returns the command.
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

// `warptune worker ROLE DESCRIPTOR NAME ...`: this hidden command is how the program starts its own workers.
int run_hidden_worker(const std::vector<std::string>& arguments) {
  if (arguments.size() < 4)
    throw base::InputError("warptune starts its workers itself: do not call 'warptune worker'");
  // Not stderr: kernels print there. A worker for one launch is started by compute-sanitizer, whose
  // descriptors are not for the log.
  std::FILE* const log = arguments[1] == "launch" ? nullptr : ::fdopen(processes::kLogDescriptor, "w");
  // The coordinator sets the variable from --log-level.
  const std::string level = base::environment(base::Variable::kLogLevel).value_or("warn");
  base::set_up_log(log == nullptr && arguments[1] != "launch" ? "off" : level, arguments[3],
                   log == nullptr ? stderr : log);
  const int code = workers::run_worker({arguments.begin() + 1, arguments.end()});
  std::clearerr(stdout);  // Kernels may print beyond the size limit. Ignore that write error.
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

// Without the signal, a write beyond the limit on file sizes fails with a reason instead of ending the
// program.
void survive_full_files() { ::signal(SIGXFSZ, SIG_IGN); }

void require_written() {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return;
  throw base::MachineError("standard output could not be written",
                           "check that it is open and that its disk has free space");
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

// Whether the output must be JSON. This function searches the arguments, because an error in them may be the
// reason why they were not parsed.
bool wants_json(const std::vector<std::string>& arguments) {
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    if (arguments[i] == "--format=json") return true;
    if (arguments[i] == "--format" && i + 1 < arguments.size() && arguments[i + 1] == "json") return true;
  }
  return false;
}

// Prints the message for people, and for `--format json` also the error as the command's only output.
int end_with(const base::Error& error, const std::vector<std::string>& arguments) {
  if (wants_json(arguments))
    text_output::print_out("{}\n", json_output::to_text(json_output::error_json(error)));
  std::fflush(stdout);
  const std::string message =
      fmt::format("{} {}", text_output::styled(text_output::Style::kBad, "warptune:"), error.what());
  text_output::print_error("{}\n", text_output::wrap_lines(message, text_output::terminal_width(stderr)));
  return static_cast<int>(error.exit_code());
}

}  // namespace

int run_program(const std::vector<std::string>& arguments) {
  try {
    occupy_standard_streams();
    survive_full_files();
    text_output::find_colour(stdout);
    text_output::find_colour(stderr);
    text_output::TextTable::fit_to(text_output::terminal_width(stdout));
    const int code = dispatch(arguments);
    require_written();
    return code;
  } catch (const base::Error& error) {
    return end_with(error, arguments);
  } catch (const std::bad_alloc&) {
    return end_with(
        base::MachineError("memory is exhausted",
                           "free some memory, or use a smaller file or a space with fewer configurations"),
        arguments);
  } catch (const std::exception& error) {
    return end_with(base::InternalError(error.what()), arguments);
  }
}

}  // namespace warptune::tuner::commands
