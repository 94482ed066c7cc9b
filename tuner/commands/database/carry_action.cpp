#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
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

struct Carried {
  std::vector<carrying::KeptRows> others;  // Workloads of other texts.
  std::size_t noted = 0;                   // Workloads of the present text whose digests were stored.
};

// Stores digests for each workload of the present text. Returns for how many.
std::size_t note_codes(db::Store& store, const kernel_templates::KernelDefinition& definition,
                       workers::compiling::CompilePool& pool, const base::Cancellation& cancellation) {
  std::size_t noted = 0;
  for (const model::Workload& workload : store.workloads()) {
    if (workload.kernel != definition.name || workload.kernel_hash != definition.hash) continue;
    const kernel_templates::KernelInstance instance(definition, workload.problem, workload.gpu);
    if (carrying::note_code(store, instance, workload, pool, cancellation)) ++noted;
  }
  return noted;
}

Carried carry_kernels(const CarryOptions& options, const base::Cancellation& cancellation) {
  if (!db::Store::exists(options.database))
    db::Store::open_existing(options.database);  // Says what is missing.
  db::Store store = knowledge::open_session_database(options.database);
  workers::compiling::CompilePool pool(workers::compiling::default_compile_workers(),
                                       carrying::kCompileDeadline, options.compile_cache);
  Carried carried;
  for (const std::string& kernel : options.kernels) {
    const kernel_templates::KernelDefinition definition =
        kernel_templates::load_kernel(kernel, options.permissions);
    for (const model::Workload& earlier : carrying::workloads_of_other_texts(store, definition))
      carried.others.push_back(carrying::keep_rows(store, definition, earlier, pool, cancellation));
    carried.noted += note_codes(store, definition, pool, cancellation);
  }
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
                    {"reason", json_output::text_or_null(kept.reason)}});
  }
  return json;
}

int carry(const CarryOptions& options) {
  const Carried carried = carry_kernels(options, {});
  if (options.json) {
    nlohmann::ordered_json report = json_output::json_head("db-carry");
    report["path"] = options.database.string();
    report["workloads"] = json_of(carried.others);
    report["noted_count"] = carried.noted;
    text_output::print_out("{}\n", json_output::to_text(report));
    return 0;
  }
  for (const carrying::KeptRows& kept : carried.others)
    text_output::print_text("{}\n", carrying::sentence_of(kept));
  if (carried.others.empty()) text_output::print_text("there are no measurements of another text\n");
  if (carried.noted > 0)
    text_output::print_text("digests of the present code are stored for {}\n",
                            base::counted(carried.noted, "workload"));
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
