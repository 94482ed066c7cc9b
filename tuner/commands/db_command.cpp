#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "db/store.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

struct DbOptions {
  bool check = false;
  std::filesystem::path database;
  bool json = false;
};

Options declare_db() {
  Options options("db info|check",
                  "Shows what the database file holds, or checks all of it against its checksums.");
  options.positional("ACTION", 1, 1);
  declare_database(options).common();
  options.example("db info", "Says where the database is and what it holds.")
      .example("db check", "Reads all of it and compares it with its checksums.")
      .related({"show", "cache"});
  return options;
}

std::optional<DbOptions> parse_db(const std::vector<std::string>& arguments) {
  Options options = declare_db();
  if (!options.parse(arguments)) return std::nullopt;
  const std::string action = options.required("ACTION");
  if (action != "info" && action != "check")
    throw base::InputError(fmt::format("db {}: expected info or check", action));
  return DbOptions{action == "check", read_database(options), options.json()};
}

int show_database(const DbOptions& options) {
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
      "{}, {}, {} (kernel, problem, GPU), {}, {}\n", base::counted(totals.kernels, "kernel"),
      base::counted(totals.gpus, "GPU"), base::counted(totals.workloads, "workload"),
      base::counted(totals.sessions, "session"), base::counted(totals.measurements, "measurement"));
  return 0;
}

// Returns exit code 2 when something is damaged.
int check_database(const DbOptions& options) {
  const db::Store store = db::Store::open_existing(options.database);
  const std::vector<db::DamagedRow> damage = store.damage();
  const db::Totals totals = store.totals();
  if (options.json) {
    nlohmann::ordered_json report = json_output::json_head("db-check");
    report["path"] = options.database.string();
    report["session_count"] = totals.sessions;
    report["measurement_count"] = totals.measurements;
    report["damage"] = nlohmann::ordered_json::array();
    for (const db::DamagedRow& row : damage) {
      report["damage"].push_back({{"table", json_output::text_or_null(row.table)},
                                  {"id", json_output::known_or_null(row.id)},
                                  {"problem", row.problem}});
    }
    text_output::print_out("{}\n", json_output::to_text(report));
  } else {
    for (const db::DamagedRow& row : damage) {
      const std::string what = row.table.empty() ? "the file" : fmt::format("{} {}", row.table, row.id);
      text_output::print_text("{}: {}\n", what, row.problem);
    }
    text_output::print_text(
        "{}: {} and {} checked, {}\n", options.database.string(), base::counted(totals.sessions, "session"),
        base::counted(totals.measurements, "measurement"),
        damage.empty() ? "all match their checksums"
                       : fmt::format("{} damaged; damaged rows are not used", damage.size()));
  }
  return static_cast<int>(damage.empty() ? base::ExitCode::kDone : base::ExitCode::kBadInput);
}

int run_db(const std::vector<std::string>& arguments) {
  const std::optional<DbOptions> options = parse_db(arguments);
  if (!options) return 0;
  return options->check ? check_database(*options) : show_database(*options);
}

}  // namespace

Command db_command() {
  return {"db", "show what the database file holds, or check it for damage", run_db,
          [] { return declare_db().description(); }};
}

}  // namespace warptune::tuner::commands
