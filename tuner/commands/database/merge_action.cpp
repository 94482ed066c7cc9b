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
#include "tuner/knowledge/database_path.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::database {

namespace {

struct MergeOptions {
  std::filesystem::path database;
  std::vector<std::filesystem::path> merged;  ///< The files to merge.
  bool json = false;
};

Options declare_merge() {
  Options options("db merge FILE...",
                  "Adds the rows of other databases. Merging them again changes nothing.");
  options.positional("FILE", 0, -1);
  declare_database(options).common();
  options.example("db merge other.db",
                  "Adds the rows of another database. Merging it again changes nothing.");
  return options;
}

std::optional<MergeOptions> parse_merge(const std::vector<std::string>& arguments) {
  Options options = declare_merge();
  if (!options.parse(arguments)) return std::nullopt;
  const std::vector<std::string> files = options.texts("FILE");
  if (files.empty()) throw base::InputError("db merge: expected the databases to merge");
  MergeOptions read{read_written_database(options), {}, options.json()};
  for (const std::string& file : files) read.merged.push_back(knowledge::database_path(file));
  return read;
}

void print_counts(const std::string& file, const db::MergeCounts& counts) {
  text_output::print_text(
      "{}: {} of {} added, {} updated, {} already there, {} refused{}\n", file,
      base::counted(counts.added, "measurement"), base::counted(counts.sessions, "new session"),
      counts.updated, counts.known, counts.refused,
      counts.refused == 0 ? "" : " because they are damaged; `warptune db verify` lists them");
  if (counts.skipped > 0) {
    text_output::print_text("{}: {} not added, because they were deleted here; a deletion cannot be undone\n",
                            file, base::counted(counts.skipped, "measurement"));
  }
  if (counts.removed > 0) {
    text_output::print_text("{}: {} removed, because they were deleted there\n", file,
                            base::counted(counts.removed, "measurement"));
  }
}

// Each file is a transaction of its own, so the files before a refused one are merged. If the database is
// missing, it is made only if all files can be merged.
int merge_databases(const MergeOptions& options) {
  if (!db::Store::exists(options.database)) {
    for (const std::filesystem::path& file : options.merged)
      db::Store::require_mergeable(file, options.database);
  }
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
                                  {"skipped_count", counts.skipped},
                                  {"removed_count", counts.removed}});
      continue;
    }
    print_counts(file.string(), counts);
  }
  if (options.json) text_output::print_out("{}\n", json_output::to_text(report));
  return 0;
}

int run_merge(const std::vector<std::string>& arguments) {
  const std::optional<MergeOptions> options = parse_merge(arguments);
  return options ? merge_databases(*options) : 0;
}

}  // namespace

Command merge_action() {
  return {"merge", "add the rows of other databases", run_merge,
          [] { return declare_merge().description(); }};
}

}  // namespace warptune::tuner::commands::database
