#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "db/store.h"
#include "tuner/commands/database/db_action.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::database {

namespace {

struct InfoOptions {
  std::filesystem::path database;
  bool json = false;
};

Options declare_info() {
  Options options("db info", "Says where the database is and what it holds.");
  declare_database(options).common();
  options.example("db info", "Says where the database is and what it holds.").related({"show", "list"});
  return options;
}

std::optional<InfoOptions> parse_info(const std::vector<std::string>& arguments) {
  Options options = declare_info();
  if (!options.parse(arguments)) return std::nullopt;
  return InfoOptions{read_database(options), options.json()};
}

int show_database(const InfoOptions& options) {
  const std::filesystem::path& path = options.database;
  const db::Totals totals = db::Store::open_existing(path).totals();
  if (options.json) {
    nlohmann::ordered_json report = json_output::json_head("db-info");
    report["path"] = path.string();
    report["schema_version"] = totals.schema_version;
    report["bytes"] = std::filesystem::file_size(path);
    report["kernel_count"] = totals.kernels;
    report["gpu_count"] = totals.gpus;
    report["workload_count"] = totals.workloads;
    report["session_count"] = totals.sessions;
    report["measurement_count"] = totals.measurements;
    text_output::print_out("{}\n", json_output::to_text(report));
    return 0;
  }
  text_output::print_text("{}: schema {}, {} bytes\n", path.string(), totals.schema_version,
                          std::filesystem::file_size(path));
  text_output::print_text(
      "{}, {}, {} (kernel, problem, GPU, cache), {}, {}\n", base::counted(totals.kernels, "kernel"),
      base::counted(totals.gpus, "GPU"), base::counted(totals.workloads, "workload"),
      base::counted(totals.sessions, "session"), base::counted(totals.measurements, "measurement"));
  return 0;
}

int run_info(const std::vector<std::string>& arguments) {
  const std::optional<InfoOptions> options = parse_info(arguments);
  return options ? show_database(*options) : 0;
}

}  // namespace

Command info_action() {
  return {"info", "say where the database is and what it holds", run_info,
          [] { return declare_info().description(); }};
}

}  // namespace warptune::tuner::commands::database
