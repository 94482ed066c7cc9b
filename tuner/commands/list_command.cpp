#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "db/store.h"
#include "kernel_templates/library.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/measurement_json.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/text_output/measurement_text.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::commands {

namespace {

struct ListOptions {
  std::filesystem::path database;
  bool json = false;
};

Options declare_list() {
  Options options("list", "Lists the shipped kernels and what the database knows about them.");
  declare_database(options).common();
  options.example("list", "Lists the shipped kernels and what is known of them.")
      .related({"space", "document", "show"});
  return options;
}

std::optional<ListOptions> parse_list(const std::vector<std::string>& arguments) {
  Options options = declare_list();
  if (!options.parse(arguments)) return std::nullopt;
  return ListOptions{read_database(options), options.json()};
}

const char* source_text(model::RowSource source) {
  switch (source) {
    case model::RowSource::kReplayed:
      return "a replay";
    case model::RowSource::kImported:
      return "a file, not verified";
    case model::RowSource::kMeasured:
      break;
  }
  return "a GPU";
}

int list_kernels(const ListOptions& options) {
  text_output::TextTable kernels({"kernel", "description", "parameters"}, {2});
  text_output::TextTable known(
      {"kernel", "problem", "GPU", "cache", "best", "95 % interval", "measured", "source", "from"}, {4, 6});
  nlohmann::ordered_json report = json_output::json_head("list");
  report["kernels"] = nlohmann::ordered_json::array();
  std::optional<db::Store> store;
  if (db::Store::exists(options.database)) store = knowledge::open_database(options.database);
  for (const std::string& name : kernel_templates::shipped_kernels()) {
    const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(name);
    kernels.add({name, definition.description, std::to_string(definition.parameters.size())});
    nlohmann::ordered_json row = {{"kernel", name},
                                  {"kernel_hash", definition.hash},
                                  {"description", definition.description},
                                  {"path", definition.path.string()},
                                  {"parameter_count", definition.parameters.size()}};
    row["known"] = nlohmann::ordered_json::array();
    // What the database knows about the kernel, in any version of its source.
    const std::vector<db::Winner> winners = store ? store->winners(name, "") : std::vector<db::Winner>();
    for (const db::Winner& winner : winners) {
      const bool current = winner.workload.kernel_hash == definition.hash;
      known.add({name, model::to_text(winner.workload.problem), winner.workload.gpu.name,
                 std::string(model::to_string(winner.workload.cache)), text_output::time_text(winner.best),
                 text_output::interval_text(winner.best), std::to_string(winner.measured),
                 current ? "current" : fmt::format("another ({:.8})", winner.workload.kernel_hash),
                 source_text(winner.best.source)});
      row["known"].push_back({{"current_source", current}, {"winner", json_output::winner_json(winner)}});
    }
    report["kernels"].push_back(std::move(row));
  }
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(report));
    return 0;
  }
  text_output::print_text("{}", kernels.text());
  if (!known.empty()) text_output::print_text("\nIn {}\n{}", options.database.string(), known.text());
  return 0;
}

int run_list(const std::vector<std::string>& arguments) {
  const std::optional<ListOptions> options = parse_list(arguments);
  return options ? list_kernels(*options) : 0;
}

}  // namespace

Command list_command() {
  return {"list", "list the shipped kernels and what the database knows about them", run_list,
          [] { return declare_list().description(); }};
}

}  // namespace warptune::tuner::commands
