#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/doctor/machine_check.h"
#include "tuner/json_output/json_form.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::commands::machine {

namespace {

struct DoctorOptions {
  std::filesystem::path database;
  std::filesystem::path compile_cache;  ///< Empty: no cache.
  bool json = false;
};

Options declare_doctor() {
  Options options("doctor", "Says whether sessions can run on this machine, and what to mend.");
  declare_compile_cache(options);
  declare_database(options).common();
  options
      .example("doctor",
               "Looks at the GPU, its driver, NVRTC, CUPTI, other processes, the sandbox and the folders.")
      .related({"devices", "check"});
  return options;
}

std::optional<DoctorOptions> parse_doctor(const std::vector<std::string>& arguments) {
  Options options = declare_doctor();
  if (!options.parse(arguments)) return std::nullopt;
  check_compile_cache(options);
  return DoctorOptions{read_written_database(options), read_compile_cache(options), options.json()};
}

void print_as_json(const std::vector<doctor::MachineFact>& facts) {
  nlohmann::ordered_json report = json_output::json_head("doctor");
  report["can_run"] = doctor::can_run(facts);
  report["facts"] = nlohmann::ordered_json::array();
  for (const doctor::MachineFact& fact : facts) {
    nlohmann::ordered_json row = {{"subject", fact.subject},
                                  {"health", doctor::to_string(fact.health)},
                                  {"text", fact.text},
                                  {"remedy", json_output::text_or_null(fact.remedy)}};
    report["facts"].push_back(std::move(row));
  }
  text_output::print_out("{}\n", json_output::to_text(report));
}

void print_as_text(const std::vector<doctor::MachineFact>& facts) {
  text_output::TextTable table({"what", "state", "found"});
  for (const doctor::MachineFact& fact : facts)
    table.add({fact.subject, std::string(doctor::to_string(fact.health)), fact.text});
  text_output::print_text("{}", table.text());
  for (const doctor::MachineFact& fact : facts) {
    if (!fact.remedy.empty()) text_output::print_text("{}: {}\n", fact.subject, fact.remedy);
  }
  text_output::print_text("{}\n", doctor::can_run(facts) ? "sessions can run on this machine"
                                                         : "sessions cannot run on this machine");
}

int examine(const DoctorOptions& options) {
  std::vector<doctor::FolderObservation> folders = {{"database", options.database.parent_path(), false}};
  if (folders.front().path.empty()) folders.front().path = ".";
  if (!options.compile_cache.empty()) folders.push_back({"compile cache", options.compile_cache, false});
  const std::vector<doctor::MachineFact> facts = doctor::judge(doctor::observe_machine(std::move(folders)));
  if (options.json) {
    print_as_json(facts);
  } else {
    print_as_text(facts);
  }
  return static_cast<int>(doctor::can_run(facts) ? base::ExitCode::kDone : base::ExitCode::kMachineCannot);
}

int run_doctor(const std::vector<std::string>& arguments) {
  const std::optional<DoctorOptions> options = parse_doctor(arguments);
  return options ? examine(*options) : 0;
}

}  // namespace

}  // namespace warptune::tuner::commands::machine

warptune::tuner::commands::Command warptune::tuner::commands::doctor_command() {
  return {"doctor", "say what this machine can do, and what to mend", machine::run_doctor,
          [] { return machine::declare_doctor().description(); }};
}
