#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "db/store.h"
#include "kernel_templates/read_scope.h"
#include "tuner/commands/database/db_action.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/knowledge/definition_comparison.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::database {

namespace {

struct VerifyOptions {
  std::filesystem::path database;
  std::vector<std::string> definitions;  ///< Paths of definitions, in addition to the shipped kernels.
  kernel_templates::Permissions permissions;
  bool json = false;
};

Options declare_verify() {
  Options options(
      "db verify",
      "Reads all of the database, compares it with its checksums, and compares configurations with the "
      "definitions of their kernels. Fails if something is damaged or breaks a definition.");
  options.values("definition", "FILE",
                 "a definition to compare with, besides the shipped kernels; may be repeated");
  declare_database(options);
  declare_permissions(options).common();
  options.example("db verify", "Verifies all of it, and what it says about the shipped kernels.")
      .example("db verify --definition my_kernel.cu", "Also verifies the configurations of this kernel.");
  return options;
}

std::optional<VerifyOptions> parse_verify(const std::vector<std::string>& arguments) {
  Options options = declare_verify();
  if (!options.parse(arguments)) return std::nullopt;
  return VerifyOptions{read_database(options), options.texts("definition"), read_permissions(options),
                       options.json()};
}

// Reading a damaged database may fail. Then what is damaged is reported alone.
knowledge::DefinitionComparison compared_with_definitions(const db::Store& store,
                                                          const VerifyOptions& options, bool is_damaged) {
  try {
    return knowledge::compare_with_definitions(store, options.definitions, options.permissions);
  } catch (const base::InputError&) {
    if (!is_damaged) throw;
    return {};
  }
}

nlohmann::ordered_json json_of(const std::vector<db::DamagedRow>& rows) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const db::DamagedRow& row : rows) {
    json.push_back({{"table", json_output::text_or_null(row.table)},
                    {"id", json_output::known_or_null(row.id)},
                    {"problem", row.problem}});
  }
  return json;
}

void print_rows(const std::vector<db::DamagedRow>& rows) {
  for (const db::DamagedRow& row : rows) {
    const std::string what = row.table.empty() ? "the file"
                             : row.id == 0     ? row.table
                                               : fmt::format("{} {}", row.table, row.id);
    text_output::print_text("{}: {}\n", what, row.problem);
  }
}

void print_summary(const VerifyOptions& options, const db::Totals& totals, std::size_t damaged,
                   const knowledge::DefinitionComparison& definitions) {
  text_output::print_text(
      "{}: {} and {} verified, {}\n", options.database.string(), base::counted(totals.sessions, "session"),
      base::counted(totals.measurements, "measurement"),
      damaged == 0 ? "no damage found"
                   : fmt::format("{} damaged; rows that do not fit their checksums are not used", damaged));
  text_output::print_text("{} compared with definitions, {} do not fit them\n",
                          base::counted(definitions.compared, "configuration"), definitions.broken.size());
  if (definitions.without_definition > 0) {
    text_output::print_text(
        "{} not compared, because no definition of this version is known; --definition FILE "
        "names one\n",
        base::counted(definitions.without_definition, "workload"));
  }
}

// Returns exit code 2 when something is damaged or does not fit a definition.
int verify_database(const VerifyOptions& options) {
  const db::Store store = db::Store::open_existing(options.database);
  const std::vector<db::DamagedRow> damage = store.damage();
  const db::Totals totals = store.totals();
  const knowledge::DefinitionComparison definitions =
      compared_with_definitions(store, options, !damage.empty());
  if (options.json) {
    nlohmann::ordered_json report = json_output::json_head("db-verify");
    report["path"] = options.database.string();
    report["session_count"] = totals.sessions;
    report["measurement_count"] = totals.measurements;
    report["damage"] = json_of(damage);
    report["compared_configuration_count"] = definitions.compared;
    report["workload_without_definition_count"] = definitions.without_definition;
    report["outside_definition"] = json_of(definitions.broken);
    text_output::print_out("{}\n", json_output::to_text(report));
  } else {
    print_rows(damage);
    print_rows(definitions.broken);
    print_summary(options, totals, damage.size(), definitions);
  }
  const bool is_good = damage.empty() && definitions.broken.empty();
  return static_cast<int>(is_good ? base::ExitCode::kDone : base::ExitCode::kBadInput);
}

int run_verify(const std::vector<std::string>& arguments) {
  const std::optional<VerifyOptions> options = parse_verify(arguments);
  return options ? verify_database(*options) : 0;
}

}  // namespace

Command verify_action() {
  return {"verify", "verify all of it", run_verify, [] { return declare_verify().description(); }};
}

}  // namespace warptune::tuner::commands::database
