#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warptune::tuner::commands {

/// One row of the table of subcommands. `run` gets what follows the subcommand's name and returns the exit
/// code.
struct Command {
  std::string_view name;
  std::string_view summary;
  int (*run)(const std::vector<std::string>& arguments);
};

/// All subcommands in the order that people see.
const std::vector<Command>& commands();

/// The whole program: picks the subcommand, catches what it throws, prints the message. Returns the
/// documented exit code.
int run_program(const std::vector<std::string>& arguments);

int run_tune(const std::vector<std::string>& arguments);
int run_profile(const std::vector<std::string>& arguments);
int run_query(const std::vector<std::string>& arguments);
int run_export(const std::vector<std::string>& arguments);
int run_document(const std::vector<std::string>& arguments);
int run_lab(const std::vector<std::string>& arguments);
int run_list(const std::vector<std::string>& arguments);
int run_devices(const std::vector<std::string>& arguments);
int run_metrics(const std::vector<std::string>& arguments);
int run_strategies(const std::vector<std::string>& arguments);
int run_replay(const std::vector<std::string>& arguments);
int run_report(const std::vector<std::string>& arguments);
int run_space(const std::vector<std::string>& arguments);
int run_show(const std::vector<std::string>& arguments);
int run_cache(const std::vector<std::string>& arguments);
int run_db(const std::vector<std::string>& arguments);
int run_explain(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
