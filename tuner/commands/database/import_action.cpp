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
#include "kernel_templates/library.h"
#include "tuner/commands/database/db_action.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/importing/file_import.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::database {

namespace {

struct ImportOptions {
  importing::ImportRequest request;
  bool json = false;
};

Options declare_import() {
  Options options(
      "db import FILE...",
      "Adds the rows of files: recordings of warptune, Kernel Tuner caches, T4 results and KTT results. They "
      "are marked as imported, and rank below measured rows. Importing a file again adds nothing.");
  options.positional("FILE", 1, -1)
      .value("kernel", "KERNEL", "the kernel of files that do not say exactly which one it is")
      .known_words(kernel_templates::shipped_kernels);
  declare_sizes(options)
      .value("gpu", "NAME|cc=80,sms=108", "the GPU of files that do not describe it")
      .value("cache", "cold|warm|unknown",
             "state of the L2 cache before each timed launch, for files that do not say it; default: unknown")
      .value("unit", "ms|us|ns|s", "the unit of times, for T4 and KTT files that do not say it");
  declare_database(options);
  declare_permissions(options).common();
  options.example("db import run.wtrec.zst", "Adds the rows of a recording.")
      .example("db import cache.json --kernel my_gemm.cu --size M=4096 --size N=4096 --gpu cc=80,sms=108",
               "Adds the rows of a Kernel Tuner cache to those of a kernel.");
  return options;
}

std::optional<ImportOptions> parse_import(const std::vector<std::string>& arguments) {
  Options options = declare_import();
  if (!options.parse(arguments)) return std::nullopt;
  ImportOptions read;
  const std::vector<std::string> files = options.texts("FILE");
  read.request.files.assign(files.begin(), files.end());
  read.request.database = read_written_database(options);
  read.request.kernel = options.text("kernel");
  read.request.sizes = read_sizes(options);
  read.request.gpu = options.text("gpu");
  if (options.has("cache")) read.request.cache = read_cache_state(options);
  read.request.unit = options.text("unit");
  read.request.permissions = read_permissions(options);
  read.json = options.json();
  return read;
}

nlohmann::ordered_json json_of(const importing::ImportedRows& rows) {
  return {{"path", rows.file.string()},
          {"file_format", rows.format},
          {"workload", json_output::workload_json(rows.workload)},
          {"session_id", json_output::known_or_null(rows.session_id)},
          {"added_count", rows.added},
          {"known_count", rows.known},
          {"unknown_value_count", rows.unknown_values},
          {"broken_constraint_count", rows.broken},
          {"ignored_parameters", rows.ignored_parameters}};
}

void print_rows(const importing::ImportedRows& rows) {
  text_output::print_text("{} ({}): {} imported, {} already there{}; {} {} on {}, timed from {}\n",
                          rows.file.string(), rows.format, base::counted(rows.added, "row"), rows.known,
                          rows.session_id == 0 ? "" : fmt::format(", session {}", rows.session_id),
                          rows.workload.kernel, model::to_text(rows.workload.problem), rows.workload.gpu.name,
                          model::l2_text(rows.workload.cache));
  if (rows.unknown_values + rows.broken > 0) {
    text_output::print_text(
        "{}: left out: {} with values that the kernel lacks, {} that break its constraints\n",
        rows.file.string(), base::counted(rows.unknown_values, "row"), rows.broken);
  }
  if (!rows.ignored_parameters.empty()) {
    text_output::print_text("{}: left out, because they do not vary and the kernel lacks them: {}\n",
                            rows.file.string(), fmt::join(rows.ignored_parameters, ", "));
  }
}

int import_files(const ImportOptions& options) {
  const std::vector<importing::ImportedRows> imported = importing::import_files(options.request);
  if (!options.json) {
    for (const importing::ImportedRows& rows : imported) print_rows(rows);
    return 0;
  }
  nlohmann::ordered_json report = json_output::json_head("db-import");
  report["path"] = options.request.database.string();
  report["imported"] = nlohmann::ordered_json::array();
  for (const importing::ImportedRows& rows : imported) report["imported"].push_back(json_of(rows));
  text_output::print_out("{}\n", json_output::to_text(report));
  return 0;
}

int run_import(const std::vector<std::string>& arguments) {
  const std::optional<ImportOptions> options = parse_import(arguments);
  return options ? import_files(*options) : 0;
}

}  // namespace

Command import_action() {
  return {"import", "add rows of recordings and of other tuners' files", run_import,
          [] { return declare_import().description(); }};
}

}  // namespace warptune::tuner::commands::database
