#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tuner/manual/command_description.h"

// The one list of subcommands, in the order in which the help shows them. A subcommand needs a line here and
// the function NAME_command() in NAME_command.cpp, in this folder or in a folder below it. A line without its
// function does not link. A file without its line fails a test.
#define WARPTUNE_COMMANDS(COMMAND) \
  COMMAND(survey)                  \
  COMMAND(bench)                   \
  COMMAND(tune)                    \
  COMMAND(cover)                   \
  COMMAND(query)                   \
  COMMAND(recheck)                 \
  COMMAND(node)                    \
  COMMAND(profile)                 \
  COMMAND(explain)                 \
  COMMAND(report)                  \
  COMMAND(export)                  \
  COMMAND(document)                \
  COMMAND(list)                    \
  COMMAND(lab)                     \
  COMMAND(devices)                 \
  COMMAND(doctor)                  \
  COMMAND(metrics)                 \
  COMMAND(strategies)              \
  COMMAND(replay)                  \
  COMMAND(space)                   \
  COMMAND(check)                   \
  COMMAND(new)                     \
  COMMAND(show)                    \
  COMMAND(db)                      \
  COMMAND(campaign)                \
  COMMAND(cache)                   \
  COMMAND(help)

namespace warptune::tuner::commands {

/// One subcommand. `run` gets the arguments after the subcommand's name and returns the exit code. `describe`
/// returns its usage, options and examples, to which `program_description` adds the name and the summary.
struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const std::vector<std::string>& arguments);
  manual::CommandDescription (*describe)();
};

/// All subcommands in the order in which the help shows them.
const std::vector<Command>& commands();

/// The command of that name. Throws `base::InputError` with the most similar names if there is none.
const Command& command_named(std::string_view name);

/// What help, manual pages and completions are written from.
manual::ProgramDescription program_description();

/// The list of commands, as `warptune help` prints it.
std::string overview();

/// Runs the whole program: it picks the subcommand, catches what the subcommand throws and prints the
/// message. Returns the exit code that `warptune --help` documents (`base::ExitCode`).
int run_program(const std::vector<std::string>& arguments);

#define WARPTUNE_DECLARED(name) Command name##_command();
WARPTUNE_COMMANDS(WARPTUNE_DECLARED)
#undef WARPTUNE_DECLARED

}  // namespace warptune::tuner::commands
