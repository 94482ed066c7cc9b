#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "db/store.h"
#include "tuner/cli/command.h"
#include "tuner/cli/option_groups.h"
#include "tuner/cli/options.h"
#include "tuner/detail/json_forms.h"
#include "tuner/terminal.h"

namespace warptune::tuner::cli {

namespace {

struct DbOptions {
  std::filesystem::path database;
  bool json = false;
};

std::optional<DbOptions> parse_db(const std::vector<std::string>& arguments) {
  Options options("db info", "Says what the database file holds.");
  options.positional("ACTION", 1, 1);
  declare_database(options).common();
  if (!options.parse(arguments)) return std::nullopt;
  if (options.required("ACTION") != "info")
    throw base::InputError(fmt::format("db {}: expected info", options.required("ACTION")));
  return DbOptions{read_database(options), options.json()};
}

int show_database(const DbOptions& options) {
  const std::filesystem::path& path = options.database;
  const db::Totals totals = db::Store::open_existing(path).totals();
  if (options.json) {
    const nlohmann::ordered_json report = {{"path", path.string()},
                                           {"schema_version", totals.schema_version},
                                           {"bytes", std::filesystem::file_size(path)},
                                           {"kernels", totals.kernels},
                                           {"gpus", totals.gpus},
                                           {"subjects", totals.subjects},
                                           {"sessions", totals.sessions},
                                           {"measurements", totals.measurements}};
    print_out("{}\n", detail::to_text(report));
    return 0;
  }
  print_out("{}: schema {}, {} bytes\n", path.string(), totals.schema_version,
            std::filesystem::file_size(path));
  print_out("{} kernels, {} GPUs, {} subjects (kernel, problem, GPU), {} sessions, {} measurements\n",
            totals.kernels, totals.gpus, totals.subjects, totals.sessions, totals.measurements);
  return 0;
}

}  // namespace

int run_db(const std::vector<std::string>& arguments) {
  const std::optional<DbOptions> options = parse_db(arguments);
  return options ? show_database(*options) : 0;
}

}  // namespace warptune::tuner::cli
