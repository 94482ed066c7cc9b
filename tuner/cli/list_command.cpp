#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "db/store.h"
#include "kernel_templates/library.h"
#include "tuner/cli/command.h"
#include "tuner/cli/option_groups.h"
#include "tuner/cli/options.h"
#include "tuner/detail/json_forms.h"
#include "tuner/renamed_rows.h"
#include "tuner/report.h"
#include "tuner/terminal.h"
#include "tuner/text_table.h"

namespace warptune::tuner::cli {

namespace {

struct ListOptions {
  std::filesystem::path database;
  bool json = false;
};

std::optional<ListOptions> parse_list(const std::vector<std::string>& arguments) {
  Options options("list", "Lists the shipped kernels and what the database knows of them.");
  declare_database(options).common();
  if (!options.parse(arguments)) return std::nullopt;
  return ListOptions{read_database(options), options.json()};
}

int list_kernels(const ListOptions& options) {
  TextTable kernels({"kernel", "description", "parameters"}, {2});
  TextTable known({"kernel", "problem", "GPU", "cache", "best", "95 % interval", "measured", "source"},
                  {4, 6});
  nlohmann::ordered_json report = nlohmann::ordered_json::array();
  std::optional<db::Store> store;
  if (db::Store::exists(options.database)) store = open_database(options.database);
  for (const std::string& name : kernel_templates::shipped_kernels()) {
    const kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(name);
    kernels.add({name, definition.description, std::to_string(definition.parameters.size())});
    nlohmann::ordered_json row = {
        {"kernel", name}, {"description", definition.description}, {"path", definition.path.string()}};
    row["known"] = nlohmann::ordered_json::array();
    // What the database knows of it in any version of its source.
    const std::vector<db::Winner> winners = store ? store->winners(name, "") : std::vector<db::Winner>();
    for (const db::Winner& winner : winners) {
      const bool current = winner.subject.kernel_hash == definition.hash;
      known.add({name, search::to_text(winner.subject.problem), winner.subject.gpu.name,
                 std::string(search::to_string(winner.subject.cache)), time_text(winner.best),
                 interval_text(winner.best), std::to_string(winner.measured), current ? "current" : "older"});
      row["known"].push_back({{"problem", detail::to_ordered_json(winner.subject.problem)},
                              {"gpu", winner.subject.gpu.name},
                              {"cache", search::to_string(winner.subject.cache)},
                              {"median_ns", winner.best.time.median_ns},
                              {"current_source", current}});
    }
    report.push_back(std::move(row));
  }
  if (options.json) {
    print_out("{}\n", detail::to_text(report));
    return 0;
  }
  print_out("{}", kernels.text());
  if (!known.empty()) print_out("\nIn {}\n{}", options.database.string(), known.text());
  return 0;
}

}  // namespace

int run_list(const std::vector<std::string>& arguments) {
  const std::optional<ListOptions> options = parse_list(arguments);
  return options ? list_kernels(*options) : 0;
}

}  // namespace warptune::tuner::cli
