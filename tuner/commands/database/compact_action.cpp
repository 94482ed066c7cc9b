#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "db/compaction.h"
#include "db/store.h"
#include "tuner/commands/database/db_action.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::database {

namespace {

struct CompactOptions {
  std::filesystem::path database;
  bool json = false;
};

Options declare_compact() {
  Options options("db compact",
                  "Makes the file as small as its rows allow, also while other processes use it.");
  declare_database(options).common();
  options.example("db compact", "Writes it again without gaps, and says how many bytes it had and has.");
  return options;
}

std::optional<CompactOptions> parse_compact(const std::vector<std::string>& arguments) {
  Options options = declare_compact();
  if (!options.parse(arguments)) return std::nullopt;
  return CompactOptions{read_written_database(options), options.json()};
}

int compact(const CompactOptions& options) {
  if (!db::Store::exists(options.database))
    db::Store::open_existing(options.database);  // Says what is missing.
  const db::Compaction compaction = db::Store(options.database).compact();
  if (options.json) {
    nlohmann::ordered_json report = json_output::json_head("db-compact");
    report["path"] = options.database.string();
    report["before_bytes"] = compaction.before_bytes;
    report["after_bytes"] = compaction.after_bytes;
    report["still_read"] = compaction.still_read;
    text_output::print_out("{}\n", json_output::to_text(report));
    return 0;
  }
  text_output::print_text(
      "{}: {} bytes before, {} after{}\n", options.database.string(), compaction.before_bytes,
      compaction.after_bytes,
      compaction.still_read ? "; other processes still read earlier pages, and the file becomes smaller later"
                            : "");
  return 0;
}

int run_compact(const std::vector<std::string>& arguments) {
  const std::optional<CompactOptions> options = parse_compact(arguments);
  return options ? compact(*options) : 0;
}

}  // namespace

Command compact_action() {
  return {"compact", "make the file smaller", run_compact, [] { return declare_compact().description(); }};
}

}  // namespace warptune::tuner::commands::database
