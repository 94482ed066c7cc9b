#include <fmt/format.h>

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/cancellation.h"
#include "base/text.h"
#include "db/store.h"
#include "kernel_templates/kernel_instance.h"
#include "kernel_templates/library.h"
#include "kernel_templates/read_scope.h"
#include "tuner/carrying/kept_rows.h"
#include "tuner/commands/database/db_action.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/json_form.h"
#include "tuner/json_output/shared_objects.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/text_output/terminal.h"
#include "tuner/workers/compiling/compile_limits.h"
#include "tuner/workers/compiling/compile_pool.h"

namespace warptune::tuner::commands::database {

namespace {

struct CarryOptions {
  std::vector<std::string> kernels;
  std::filesystem::path database;
  std::filesystem::path compile_cache;
  kernel_templates::Permissions permissions;
  bool json = false;
};

Options declare_carry() {
  Options options("db carry KERNEL...",
                  "Gives the rows of another text of KERNEL to its present text, if both compile to the same "
                  "machine code. The other text then has no rows. "
                  "Also stores digests of the code of the present rows, by which a later text is compared. "
                  "Needs no GPU.");
  declare_kernel(options, 1, -1);
  declare_database(options);
  declare_compile_cache(options);
  declare_permissions(options).common();
  options
      .example("db carry my_kernel.cu",
               "Keeps the rows of my_kernel.cu after a comment, a name or the formatting changed.")
      .related({"tune", "query", "recheck"});
  return options;
}

std::optional<CarryOptions> parse_carry(const std::vector<std::string>& arguments) {
  Options options = declare_carry();
  if (!options.parse(arguments)) return std::nullopt;
  check_compile_cache(options);
  return CarryOptions{options.texts("KERNEL"), read_written_database(options), read_compile_cache(options),
                      read_permissions(options), options.json()};
}

// What was done for one kernel.
struct Carried {
  std::vector<carrying::KeptRows> others;  // Workloads of other texts.
  std::size_t noted = 0;                   // Workloads of the present text whose digests were stored.
  carrying::OlderNvrtc older;              // Rows of these workloads that an older NVRTC compiled.
};

// Is called as soon as a workload of another text is done.
using KeptListener = std::function<void(const carrying::KeptRows&)>;

// Stores digests for each workload of the present text.
void note_codes(db::Store& store, const kernel_templates::KernelDefinition& definition,
                workers::compiling::CompilePool& pool, const base::Cancellation& cancellation,
                Carried& carried) {
  for (const model::Workload& workload : store.workloads()) {
    if (workload.kernel != definition.name || workload.kernel_hash != definition.hash) continue;
    const kernel_templates::KernelInstance instance(definition, workload.problem, workload.gpu);
    if (!carrying::note_code(store, instance, workload, pool, cancellation)) continue;
    ++carried.noted;
    carried.older.add(carrying::rows_of_older_nvrtc(store, workload));
  }
}

Carried carry_kernel(db::Store& store, const kernel_templates::KernelDefinition& definition,
                     workers::compiling::CompilePool& pool, const KeptListener& on_kept,
                     const base::Cancellation& cancellation) {
  Carried carried;
  for (const model::Workload& earlier : carrying::workloads_of_other_texts(store, definition)) {
    carried.others.push_back(carrying::keep_rows(store, definition, earlier, pool, cancellation));
    on_kept(carried.others.back());
  }
  note_codes(store, definition, pool, cancellation, carried);
  return carried;
}

nlohmann::ordered_json json_of(const std::vector<carrying::KeptRows>& others) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const carrying::KeptRows& kept : others) {
    json.push_back({{"workload", json_output::workload_json(kept.earlier)},
                    {"carried", kept.is_carried()},
                    {"measurement_count", kept.rows.measurements},
                    {"removed_count", kept.rows.removed},
                    {"reference_count", kept.references},
                    {"older_nvrtc_count", kept.older.rows},
                    {"reason", json_output::text_or_null(kept.reason)}});
  }
  return json;
}

void print_end(const std::string& kernel, const Carried& carried) {
  if (carried.others.empty())
    text_output::print_text("there are no measurements of another text of {}\n", kernel);
  if (carried.noted == 0) return;
  text_output::print_text("digests of the present code of {} are stored for {}{}\n", kernel,
                          base::counted(carried.noted, "workload"),
                          carrying::older_nvrtc_text(carried.older));
  std::fflush(stdout);
}

int carry(const CarryOptions& options) {
  if (!db::Store::exists(options.database))
    db::Store::open_existing(options.database);  // Says what is missing.
  db::Store store = knowledge::open_session_database(options.database);
  workers::compiling::CompilePool pool(workers::compiling::default_compile_workers(),
                                       carrying::kCompileDeadline, options.compile_cache);
  const KeptListener print = [&](const carrying::KeptRows& kept) {
    if (options.json) return;
    text_output::print_text("{}\n", carrying::sentence_of(kept));
    std::fflush(stdout);
  };
  // All definitions are read first, so that a wrong one is reported before rows are moved.
  std::vector<kernel_templates::KernelDefinition> definitions;
  for (const std::string& kernel : options.kernels)
    definitions.push_back(kernel_templates::load_kernel(kernel, options.permissions));
  std::vector<carrying::KeptRows> others;
  std::size_t noted = 0;
  for (const kernel_templates::KernelDefinition& definition : definitions) {
    const Carried carried = carry_kernel(store, definition, pool, print, {});
    if (!options.json) print_end(definition.name, carried);
    others.insert(others.end(), carried.others.begin(), carried.others.end());
    noted += carried.noted;
  }
  if (!options.json) return 0;
  nlohmann::ordered_json report = json_output::json_head("db-carry");
  report["path"] = options.database.string();
  report["workloads"] = json_of(others);
  report["noted_count"] = noted;
  text_output::print_out("{}\n", json_output::to_text(report));
  return 0;
}

int run_carry(const std::vector<std::string>& arguments) {
  const std::optional<CarryOptions> options = parse_carry(arguments);
  return options ? carry(*options) : 0;
}

}  // namespace

Command carry_action() {
  return {"carry", "keep the rows of a kernel whose text changed without its code", run_carry,
          [] { return declare_carry().description(); }};
}

}  // namespace warptune::tuner::commands::database
