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

struct BackupOptions {
  std::filesystem::path database;
  std::filesystem::path backup;  ///< The file to make.
  bool json = false;
};

Options declare_backup() {
  Options options("db backup FILE", "Copies the database to a new file, also while a session writes.");
  options.positional("FILE", 0, -1);
  declare_database(options).common();
  options.example("db backup copy.db", "Copies it, also while a session writes. Never replaces a file.");
  return options;
}

std::optional<BackupOptions> parse_backup(const std::vector<std::string>& arguments) {
  Options options = declare_backup();
  if (!options.parse(arguments)) return std::nullopt;
  const std::vector<std::string> files = options.texts("FILE");
  if (files.size() != 1) throw base::InputError("db backup: expected the name of the file to make");
  return BackupOptions{read_database(options), files.front(), options.json()};
}

int back_up_database(const BackupOptions& options) {
  db::Store::open_existing(options.database).back_up(options.backup);
  const db::Totals totals = db::Store::open_existing(options.backup).totals();
  const std::uintmax_t bytes = std::filesystem::file_size(options.backup);
  if (options.json) {
    nlohmann::ordered_json report = json_output::json_head("db-backup");
    report["path"] = options.database.string();
    report["backup_path"] = options.backup.string();
    report["bytes"] = bytes;
    report["session_count"] = totals.sessions;
    report["measurement_count"] = totals.measurements;
    text_output::print_out("{}\n", json_output::to_text(report));
  } else {
    text_output::print_text(
        "{}: {} and {} of {}, {} bytes\n", options.backup.string(), base::counted(totals.sessions, "session"),
        base::counted(totals.measurements, "measurement"), options.database.string(), bytes);
  }
  return 0;
}

int run_backup(const std::vector<std::string>& arguments) {
  const std::optional<BackupOptions> options = parse_backup(arguments);
  return options ? back_up_database(*options) : 0;
}

}  // namespace

Command backup_action() {
  return {"backup", "copy it to a new file", run_backup, [] { return declare_backup().description(); }};
}

}  // namespace warptune::tuner::commands::database
