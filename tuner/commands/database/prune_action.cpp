#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "db/pruning.h"
#include "db/store.h"
#include "kernel_templates/library.h"
#include "tuner/commands/database/db_action.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/json_output/json_form.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/text_output/terminal.h"
#include "tuner/text_output/text_table.h"

namespace warptune::tuner::commands::database {

namespace {

struct PruneOptions {
  std::filesystem::path database;
  db::PruneRequest request;
  std::optional<std::string> gpu;  ///< A name or a key.
  bool json = false;
};

Options declare_prune() {
  Options options(
      "db prune",
      "Removes the rows that the options select, and names them first. The best row of each workload, its "
      "default, and preferred and confirmed rows stay.");
  options.values("kernel", "NAME", "rows of this kernel, in any version; may be repeated")
      .known_words(kernel_templates::shipped_kernels)
      .value("gpu", "NAME", "rows of this GPU: a part of its name, or its key")
      .value("older-than", "DAYS", "rows that are older than this number of days")
      .flag("failed", "rows of configurations that failed")
      .flag("imported", "rows that were imported from files")
      .value("beyond", "N", "rows of all configurations but the N best of each workload; failed ones stay")
      .flag("with-best", "also rows that otherwise stay")
      .flag("dry-run", "remove nothing, only say what would be removed");
  declare_database(options).common();
  options
      .example("db prune --failed --older-than 90 --dry-run",
               "Says which failed rows are older than 90 days.")
      .example("db prune --kernel sgemm --beyond 100",
               "Keeps the 100 best configurations of each workload of a kernel.")
      .example("db prune --imported --with-best", "Removes everything that was imported.");
  return options;
}

void check_prune(const Options& options) {
  for (const char* name : {"kernel", "gpu", "older-than", "failed", "imported", "beyond"}) {
    if (options.has(name)) return;
  }
  throw base::InputError(
      "db prune: expected at least one of --kernel, --gpu, --older-than, --failed, --imported and --beyond, "
      "which say "
      "what to remove");
}

std::optional<PruneOptions> parse_prune(const std::vector<std::string>& arguments) {
  Options options = declare_prune();
  if (!options.parse(arguments)) return std::nullopt;
  check_prune(options);
  PruneOptions read;
  read.database = read_written_database(options);
  read.gpu = options.text("gpu");
  read.request.kernels = options.texts("kernel");
  if (const std::optional<std::uint64_t> days = options.number("older-than")) {
    constexpr std::uint64_t kMaxDays = 100000;
    if (*days > kMaxDays)
      throw base::InputError(fmt::format("--older-than {}: expected at most {} days", *days, kMaxDays));
    constexpr std::int64_t kMsPerDay = 24LL * 60 * 60 * 1000;
    read.request.before_ms = base::unix_time_ms() - static_cast<std::int64_t>(*days) * kMsPerDay;
  }
  read.request.failed = options.is_set("failed");
  read.request.imported = options.is_set("imported");
  read.request.beyond = options.number("beyond");
  read.request.protected_rows = options.is_set("with-best");
  read.request.dry_run = options.is_set("dry-run");
  read.json = options.json();
  return read;
}

// A name that is wrong would select nothing without notice.
void check_names(const db::Store& store, PruneOptions& options) {
  if (options.gpu)
    options.request.gpu_key = gpus::wanted_gpu(*options.gpu, gpus::distinct_gpus(store)).gpu.key();
  std::set<std::string> known;
  for (const model::Workload& workload : store.workloads()) known.insert(workload.kernel);
  for (const std::string& kernel : options.request.kernels) {
    if (known.count(kernel) == 0) {
      throw base::InputError(fmt::format("--kernel {}: the database has no rows of it; it has {}", kernel,
                                         known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", "))));
    }
  }
}

void print_report(const db::PruneReport& report) {
  text_output::TextTable table({"kernel", "version", "problem", "GPU", "cache", "rows", "rows that stay"},
                               {5, 6});
  for (const db::PrunedWorkload& workload : report.workloads) {
    table.add({workload.kernel, fmt::format("{:.8}", workload.kernel_hash), workload.problem, workload.gpu,
               workload.cache_state, std::to_string(workload.rows), std::to_string(workload.left)});
  }
  if (!table.empty()) text_output::print_text("{}", table.text());
  if (report.kept > 0) {
    text_output::print_text(
        "selected rows that stay: {}. They are the best, a default, preferred or confirmed (--with-best "
        "removes these, too), or an older row of their configuration would count again\n",
        report.kept);
  }
  if (report.in_use > 0)
    text_output::print_text("selected rows that stay, because their session may be running: {}\n",
                            report.in_use);
}

nlohmann::ordered_json json_of(const db::PruneReport& report, const PruneOptions& options) {
  nlohmann::ordered_json json = json_output::json_head("db-prune");
  json["path"] = options.database.string();
  json["dry_run"] = options.request.dry_run;
  json["removed_count"] = report.rows;
  json["removed_session_count"] = report.sessions;
  json["protected_count"] = report.kept;
  json["in_use_count"] = report.in_use;
  json["workloads"] = nlohmann::ordered_json::array();
  for (const db::PrunedWorkload& workload : report.workloads) {
    json["workloads"].push_back({{"kernel", workload.kernel},
                                 {"kernel_hash", workload.kernel_hash},
                                 {"problem", nlohmann::ordered_json::parse(workload.problem)},
                                 {"gpu", workload.gpu},
                                 {"cache", workload.cache_state},
                                 {"removed_count", workload.rows},
                                 {"left_count", workload.left}});
  }
  return json;
}

int prune(PruneOptions options) {
  db::PruneReport report;
  {
    db::Store store = knowledge::open_database(options.database);
    check_names(store, options);
    db::PruneRequest first = options.request;
    first.dry_run = true;
    report = store.prune(first);
  }
  if (!options.json) print_report(report);
  if (!options.request.dry_run && report.rows > 0)
    report = db::Store(options.database).prune(options.request);
  if (options.json) {
    text_output::print_out("{}\n", json_output::to_text(json_of(report, options)));
  } else {
    text_output::print_text("{}: {} of {} {}\n", options.database.string(), base::counted(report.rows, "row"),
                            base::counted(report.workloads.size(), "workload"),
                            options.request.dry_run ? "would be removed" : "removed");
  }
  return 0;
}

int run_prune(const std::vector<std::string>& arguments) {
  const std::optional<PruneOptions> options = parse_prune(arguments);
  return options ? prune(*options) : 0;
}

}  // namespace

Command prune_action() {
  return {"prune", "remove rows", run_prune, [] { return declare_prune().description(); }};
}

}  // namespace warptune::tuner::commands::database
