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
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

enum class DbAction { kInfo, kVerify, kBackup, kMerge };

struct DbOptions {
  DbAction action = DbAction::kInfo;
  std::filesystem::path database;
  std::filesystem::path backup;               // The file to make. Empty for the other actions.
  std::vector<std::filesystem::path> merged;  // The files to merge. Empty for the other actions.
  bool json = false;
};

Options declare_db() {
  Options options(
      "db info|verify|backup|merge [FILE...]",
      "Shows what the database file holds, verifies all of it, copies it to a new file, or adds the "
      "rows of other databases.");
  options.positional("ACTION", 1, -1).known_words([] {
    return std::vector<std::string>{"info", "verify", "backup", "merge"};
  });
  declare_database(options).common();
  options.example("db info", "Says where the database is and what it holds.")
      .example("db verify", "Reads all of it and compares it with its checksums.")
      .example("db backup copy.db", "Copies it, also while a session writes. Never replaces a file.")
      .example("db merge other.db", "Adds the rows of another database. Merging it again changes nothing.")
      .related({"show", "cache"});
  return options;
}

// `check` is the earlier name of `verify`.
DbAction action_named(const std::string& action) {
  if (action == "info") return DbAction::kInfo;
  if (action == "verify" || action == "check") return DbAction::kVerify;
  if (action == "backup") return DbAction::kBackup;
  if (action == "merge") return DbAction::kMerge;
  throw base::InputError(fmt::format("db {}: expected info, verify, backup or merge", action));
}

std::optional<DbOptions> parse_db(const std::vector<std::string>& arguments) {
  Options options = declare_db();
  if (!options.parse(arguments)) return std::nullopt;
  const std::vector<std::string> words = options.texts("ACTION");
  const std::string& action = words.front();
  DbOptions parsed{action_named(action), read_database(options), {}, {}, options.json()};
  if (parsed.action == DbAction::kMerge) {
    if (words.size() == 1) throw base::InputError("db merge: expected the databases to merge");
    parsed.merged.assign(words.begin() + 1, words.end());
  } else if (parsed.action == DbAction::kBackup) {
    if (words.size() != 2) throw base::InputError("db backup: expected the name of the file to make");
    parsed.backup = words.back();
  } else if (words.size() > 1) {
    throw base::InputError(
        fmt::format("db {}: expected no file, found {}; --db FILE names the database", action, words[1]));
  }
  return parsed;
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
int verify_database(const DbOptions& options) {
  const db::Store store = db::Store::open_existing(options.database);
  const std::vector<db::DamagedRow> damage = store.damage();
  const db::Totals totals = store.totals();
  if (options.json) {
    nlohmann::ordered_json report = json_output::json_head("db-verify");
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
      const std::string what = row.table.empty() ? "the file"
                               : row.id == 0     ? row.table
                                                 : fmt::format("{} {}", row.table, row.id);
      text_output::print_text("{}: {}\n", what, row.problem);
    }
    text_output::print_text(
        "{}: {} and {} verified, {}\n", options.database.string(), base::counted(totals.sessions, "session"),
        base::counted(totals.measurements, "measurement"),
        damage.empty()
            ? "no damage found"
            : fmt::format("{} damaged; rows that do not fit their checksums are not used", damage.size()));
  }
  return static_cast<int>(damage.empty() ? base::ExitCode::kDone : base::ExitCode::kBadInput);
}

int back_up_database(const DbOptions& options) {
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

// Each file is a transaction of its own, so the files before a refused one are merged.
int merge_databases(const DbOptions& options) {
  db::Store store(options.database);
  nlohmann::ordered_json report = json_output::json_head("db-merge");
  report["path"] = options.database.string();
  report["merged"] = nlohmann::ordered_json::array();
  for (const std::filesystem::path& file : options.merged) {
    const db::MergeCounts counts = store.merge(file);
    if (options.json) {
      report["merged"].push_back({{"path", file.string()},
                                  {"session_count", counts.sessions},
                                  {"added_count", counts.added},
                                  {"updated_count", counts.updated},
                                  {"known_count", counts.known},
                                  {"refused_count", counts.refused},
                                  {"removed_count", counts.removed}});
      continue;
    }
    text_output::print_text(
        "{}: {} of {} added, {} updated, {} already there, {} refused{}\n", file.string(),
        base::counted(counts.added, "measurement"), base::counted(counts.sessions, "new session"),
        counts.updated, counts.known, counts.refused,
        counts.refused == 0 ? "" : " because they are damaged; `warptune db verify` lists them");
    if (counts.removed > 0) {
      text_output::print_text("{}: {} removed, because they were deleted there\n", file.string(),
                              base::counted(counts.removed, "measurement"));
    }
  }
  if (options.json) text_output::print_out("{}\n", json_output::to_text(report));
  return 0;
}

int run_db(const std::vector<std::string>& arguments) {
  const std::optional<DbOptions> options = parse_db(arguments);
  if (!options) return 0;
  switch (options->action) {
    case DbAction::kInfo:
      return show_database(*options);
    case DbAction::kVerify:
      return verify_database(*options);
    case DbAction::kBackup:
      return back_up_database(*options);
    case DbAction::kMerge:
      return merge_databases(*options);
  }
  return 0;
}

}  // namespace

Command db_command() {
  return {"db", "show what the database file holds, verify it, back it up, or merge others into it", run_db,
          [] { return declare_db().description(); }};
}

}  // namespace warptune::tuner::commands
