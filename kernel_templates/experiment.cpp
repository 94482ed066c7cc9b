#include "kernel_templates/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "base/error.h"
#include "base/files.h"
#include "base/text.h"
#include "kernel_templates/definition/experiment_claims.h"
#include "kernel_templates/definition/experiment_names.h"
#include "kernel_templates/definition/experiment_table.h"
#include "kernel_templates/definition/toml_reader.h"
#include "kernel_templates/library.h"

namespace warptune::kernel_templates {

namespace fs = std::filesystem;
using definition::TableReader;

const ExperimentTable* Experiment::find_table(std::string_view table) const {
  const auto found = std::find_if(tables.begin(), tables.end(),
                                  [&](const ExperimentTable& one) { return one.name == table; });
  return found == tables.end() ? nullptr : &*found;
}

Experiment load_experiment(const fs::path& path, const Permissions& permissions) {
  const ReadScope scope(path, permissions);
  scope.require(path, "the experiment", {path.string(), 0, 0});
  const toml::table root = definition::parse_toml(base::read_file(path), path.string());
  const TableReader file(&root, "", path.string());
  file.allow_only({"experiment", "table", "quantities", "claim", "theory", "chart"});
  const TableReader head = file.table("experiment");
  if (!head.present())
    throw base::InputError("the section [experiment] is missing: expected an experiment of the lab",
                           {path.string(), 0, 0});
  head.allow_only({"title", "summary", "about", "sources"});
  Experiment experiment;
  experiment.name = path.stem().string();
  experiment.path = path;
  experiment.scope = scope;
  experiment.title = head.required_text("title");
  experiment.summary = head.required_text("summary");
  experiment.about = head.required_text("about");
  experiment.sources = head.texts("sources");
  for (const TableReader& table : file.tables("table"))
    experiment.tables.push_back(definition::table_of(table, path));
  const TableReader quantities = file.table("quantities");
  for (const auto& [name, node] : quantities.entries())
    experiment.quantities.emplace_back(name, definition::required_dotted_expression(quantities, name));
  for (const TableReader& claim : file.tables("claim"))
    experiment.claims.push_back(definition::claim_of(claim));
  for (const TableReader& row : file.tables("theory"))
    experiment.theory.push_back(definition::theory_of(row));
  for (const TableReader& chart : file.tables("chart"))
    experiment.charts.push_back(definition::chart_of(chart));
  if (experiment.tables.empty())
    throw base::InputError("[[table]] is missing: expected at least one table of configurations to measure",
                           {path.string(), 0, 0});
  if (experiment.claims.empty())
    throw base::InputError("[[claim]] is missing: expected at least one statement to check",
                           {path.string(), 0, 0});
  for (const ExperimentTable& table : experiment.tables) {
    for (const ExperimentRow& row : table.rows) {
      if (is_kernel_path(row.kernel)) scope.require(row.kernel, "the kernel", row.position);
    }
  }
  definition::check_names(experiment);
  return experiment;
}

namespace {

// Whether a shipped file is an experiment: the folder may also have kernel definitions. Help texts list all
// experiments, and parsing them would take most of the time that the help takes.
bool is_experiment(const fs::path& path) {
  return ("\n" + base::read_file(path)).find("\n[experiment]\n") != std::string::npos;
}

}  // namespace

std::vector<std::string> shipped_experiments() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(base::share_folder() / "lab", error)) {
    if (entry.path().extension() == ".toml" && is_experiment(entry.path()))
      names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

fs::path find_experiment(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || fs::path(name_or_path).extension() == ".toml")
    return name_or_path;
  fs::path shipped = base::share_folder() / "lab" / (name_or_path + ".toml");
  if (fs::is_regular_file(shipped) && is_experiment(shipped)) return shipped;
  const std::vector<std::string> known = shipped_experiments();
  throw base::InputError(
      fmt::format("unknown experiment '{}'{}; `warptune lab` lists the shipped ones; give the path of your "
                  "own experiment",
                  name_or_path, base::did_you_mean(name_or_path, known)));
}

}  // namespace warptune::kernel_templates
