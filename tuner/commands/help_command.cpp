#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/manual/help_text.h"
#include "tuner/manual/man_page.h"
#include "tuner/manual/shell_completion.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

namespace fs = std::filesystem;

/// The arguments of `warptune help`. At most one of `manual_page`, `shell` and `folder` is given.
struct HelpOptions {
  const Command* command = nullptr;  ///< Null: the help is about the whole program.
  bool manual_page = false;
  const manual::Shell* shell = nullptr;
  std::optional<fs::path> folder;  ///< Where manual pages and completions are to be written.
};

std::vector<std::string> command_names() {
  std::vector<std::string> names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return names;
}

std::string shell_names() {
  std::vector<std::string_view> names;
  for (const manual::Shell& shell : manual::shells()) names.push_back(shell.name);
  return fmt::format("{}", fmt::join(names, "|"));
}

Options declare_help() {
  Options options("help [COMMAND]",
                  "Prints the list of commands, or the help of COMMAND. It also writes the manual pages and "
                  "the completions of shells, from the same declarations as the help.");
  options.positional("COMMAND", 0, 1)
      .known_words(command_names)
      .flag("man", "print the manual page, in roff, instead")
      .value("completion", shell_names(), "print the script that completes warptune in this shell instead")
      .value("install", "DIR",
             "write all manual pages and completions below DIR, in the same folders as in /usr/share")
      .help_and_log_level();
  options.example("help tune", "Prints what warptune tune --help prints.")
      .example("help tune --man | man -l -", "Shows the manual page of a command that is not installed.")
      .example("help --completion bash > ~/.local/share/bash-completion/completions/warptune",
               "Lets bash complete commands, options and values, for you alone.")
      .related({"list", "strategies", "metrics"});
  return options;
}

HelpOptions read_help(const Options& options) {
  HelpOptions help;
  for (const std::string& name : options.texts("COMMAND")) help.command = &command_named(name);
  help.manual_page = options.is_set("man");
  if (const auto shell = options.text("completion")) help.shell = &manual::shell_named(*shell);
  help.folder = options.path("install");
  const int given = (help.manual_page ? 1 : 0) + (help.shell != nullptr ? 1 : 0) + (help.folder ? 1 : 0);
  if (given > 1) throw base::InputError("expected only one of --man, --completion and --install");
  if (help.command != nullptr && (help.shell != nullptr || help.folder))
    throw base::InputError("--completion and --install write the files of all commands; expected no COMMAND");
  return help;
}

std::optional<HelpOptions> parse_help(const std::vector<std::string>& arguments) {
  Options options = declare_help();
  if (!options.parse(arguments)) return std::nullopt;
  return read_help(options);
}

std::string manual_page(const Command* command) {
  const manual::ProgramDescription program = program_description();
  if (command == nullptr) return manual::program_man_page(program);
  for (const manual::CommandDescription& described : program.commands) {
    if (described.name == command->name) return manual::command_man_page(program, described);
  }
  throw base::InternalError(fmt::format("{} has no description", command->name));
}

void write_below(const fs::path& folder, const std::string& name, const std::string& text) {
  const fs::path file = folder / name;
  std::error_code ignored;  // If this fails, writing the file fails with the reason.
  fs::create_directories(file.parent_path(), ignored);
  base::write_file_atomically(file, text);
}

void install(const fs::path& folder) {
  const manual::ProgramDescription program = program_description();
  write_below(folder, "man/man1/warptune.1", manual::program_man_page(program));
  for (const manual::CommandDescription& command : program.commands)
    write_below(folder, fmt::format("man/man1/{}.1", manual::man_page_name(command)),
                manual::command_man_page(program, command));
  for (const manual::Shell& shell : manual::shells())
    write_below(folder, std::string(shell.file), shell.write(program));
}

int help(const HelpOptions& options) {
  if (options.folder) {
    install(*options.folder);
  } else if (options.shell != nullptr) {
    text_output::print_to(stdout, options.shell->write(program_description()));
  } else if (options.manual_page) {
    text_output::print_to(stdout, manual_page(options.command));
  } else if (options.command != nullptr) {
    return options.command->run({"--help"});
  } else {
    text_output::print_to(stdout, overview());
  }
  return 0;
}

int run_help(const std::vector<std::string>& arguments) {
  const std::optional<HelpOptions> options = parse_help(arguments);
  return options ? help(*options) : 0;
}

}  // namespace

namespace {

// Only names and summaries of the commands, for their list. Their options are left out, because it takes time
// to collect the words that a shell completes.
manual::ProgramDescription program_outline() {
  manual::ProgramDescription program;
  program.summary =
      "Tunes CUDA kernels: measures configurations, stores and explains the results, and exports the best.";
  program.options = {{"help", 'h', "", "print this help and exit", std::nullopt, false, {}},
                     {"version", 'V', "", "print the version and exit", std::nullopt, false, {}}};
  for (const Command& command : commands()) {
    manual::CommandDescription& listed = program.commands.emplace_back();
    listed.name = command.name;
    listed.summary = command.summary;
  }
  return program;
}

}  // namespace

manual::ProgramDescription program_description() {
  manual::ProgramDescription program = program_outline();
  program.description =
      "warptune takes a CUDA kernel with tunable parameters and finds the fastest correct configuration for "
      "the GPU of this machine. It keeps every measurement in one database, which the other commands read. "
      "KERNEL is the name of a shipped kernel (warptune list), or the path of a .cu or .toml file that "
      "describes one.";
  program.files = {
      {kUsualDatabase, "The database of all measurements. --db FILE names another.", "db"},
      {kUsualCompileCache,
       "Compiled code. --compile-cache DIR names another folder, --compile-cache none keeps nothing.",
       "compile-cache"},
      {"$XDG_CACHE_HOME/warptune/fleet", "The snapshots of stores of campaigns. They can be made again.", ""},
      {"$XDG_CACHE_HOME/warptune/nvrtc-version",
       "The version of the last used NVRTC file. warptune reads it here instead of loading NVRTC.", ""},
      {"share/warptune", "The shipped kernels, recordings and experiments, beside the folder of the program.",
       ""}};
  for (std::size_t i = 0; i < program.commands.size(); ++i) {
    manual::CommandDescription described = commands()[i].describe();
    described.name = program.commands[i].name;
    described.summary = program.commands[i].summary;
    program.commands[i] = std::move(described);
  }
  return program;
}

std::string overview() {
  const std::size_t columns = text_output::terminal_width(stdout);
  return manual::overview_text(program_outline(), columns == 0 ? manual::kHelpColumns : columns);
}

Command help_command() {
  return {"help", "print help, manual pages and completions of shells", run_help,
          [] { return declare_help().description(); }};
}

}  // namespace warptune::tuner::commands
