#include "tuner/commands/export_command.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "db/header_export.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/library.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/json_output/winners_json.h"
#include "tuner/knowledge/known_winners.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

const std::vector<db::ExportFormat>& known_formats() {
  static const std::vector<db::ExportFormat> kFormats = [] {
    std::vector<db::ExportFormat> formats = db::export_formats();
    formats.push_back(json_output::winners_format());
    return formats;
  }();
  return kFormats;
}

const db::ExportFormat& format_named(const std::string& name) {
  std::vector<std::string> known;
  for (const db::ExportFormat& format : known_formats()) {
    if (format.name == name) return format;
    known.emplace_back(format.name);
  }
  throw base::InputError(fmt::format("--format {}: expected one of {}{}", name, fmt::join(known, " "),
                                     base::did_you_mean(name, known)));
}

// What was replayed was not measured on this machine, so it is exported only when asked for.
void leave_replayed_out(db::ExportInput& input, const ExportOptions& options) {
  if (options.replayed) return;
  const std::size_t left_out =
      std::erase_if(input.winners, [](const db::Winner& winner) { return winner.best.replayed; });
  if (left_out == 0) return;
  if (input.winners.empty()) {
    throw base::WorkError(
        fmt::format("everything that is known of {} was replayed from a recording, not measured; --replayed "
                    "exports it nevertheless",
                    input.kernel));
  }
  base::log_warning(
      fmt::format("{}: {} left out that {} replayed from a recording; --replayed exports them, too",
                  input.kernel, base::counted(left_out, "result"), left_out == 1 ? "was" : "were"));
}

db::ExportInput input_of(const std::string& kernel, const db::Store& store, const ExportOptions& options) {
  const model::CacheState cache = options.cache;
  const kernel_templates::KernelDefinition definition =
      kernel_templates::load_kernel(kernel, options.permissions);
  db::ExportInput input{definition.name,
                        definition.hash,
                        definition.parameters,
                        definition.constraints,
                        definition.problem,
                        definition.default_configuration,
                        store.winners(definition.name, definition.hash),
                        kernel_templates::is_checked(definition)};
  kernel_templates::log_warnings_of(definition);
  std::erase_if(input.winners, [&](const db::Winner& winner) { return winner.workload.cache != cache; });
  leave_replayed_out(input, options);
  if (input.winners.empty()) {
    const bool other_source = knowledge::knows_other_source(store, definition);
    throw base::WorkError(fmt::format("nothing is known of {} from {}{}; run warptune tune {}",
                                      definition.name, model::l2_text(cache),
                                      other_source ? " as its source is now" : "", kernel));
  }
  return input;
}

int write_export(const ExportOptions& options) {
  const db::Store store = knowledge::open_database(options.database);
  std::vector<db::ExportInput> inputs;
  for (const std::string& kernel : options.kernels) inputs.push_back(input_of(kernel, store, options));
  const std::string text = options.format->write(inputs);
  if (options.check) {
    if (base::read_file(*options.check) == text) return 0;
    const std::string file = options.check->string();
    throw base::WorkError(
        fmt::format("{} no longer matches the database; write it again with warptune export {} -o {}", file,
                    fmt::join(options.kernels, " "), file));
  }
  if (options.output) {
    base::write_file_atomically(*options.output, text);
  } else {
    text_output::print_to(stdout, text);
  }
  return 0;
}

Options declare_export() {
  std::vector<std::string> formats;
  for (const db::ExportFormat& format : known_formats()) formats.emplace_back(format.name);
  Options options("export KERNEL...", "Writes the best configurations of kernels for use in other programs.");
  declare_kernel(options, 1, -1)
      .value("output,o", "FILE", "file to write; default: standard output")
      .value("format", fmt::format("{}", fmt::join(formats, "|")), "output format", "header");
  declare_cache_state(options)
      .flag("replayed", "export results that were replayed from a recording, too")
      .value("check", "FILE", "write nothing; fail when FILE no longer matches the database")
      .help_and_log_level();
  declare_database(options);
  declare_permissions(options);
  options.example("export transpose -o transpose_tuned.h", "Writes the best configurations as a C++ header.")
      .example("export transpose --check transpose_tuned.h",
               "Fails when the header no longer matches the database.")
      .related({"query", "tune"});
  return options;
}

}  // namespace

std::optional<ExportOptions> parse_export(const std::vector<std::string>& arguments) {
  Options options = declare_export();
  if (!options.parse(arguments)) return std::nullopt;
  ExportOptions read;
  read.format = &format_named(*options.text("format"));
  read.kernels = options.texts("KERNEL");
  read.permissions = read_permissions(options);
  read.cache = read_cache_state(options);
  read.check = options.path("check");
  read.output = options.output_path("output");
  read.replayed = options.is_set("replayed");
  read.database = read_database(options);
  return read;
}

namespace {

int run_export(const std::vector<std::string>& arguments) {
  const std::optional<ExportOptions> options = parse_export(arguments);
  return options ? write_export(*options) : 0;
}

}  // namespace

Command export_command() {
  return {"export", "write the best configurations as a C++ header or in another format", run_export,
          [] { return declare_export().description(); }};
}

}  // namespace warptune::tuner::commands
