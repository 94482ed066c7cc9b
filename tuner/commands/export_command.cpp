#include "tuner/commands/export_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "db/exported_names.h"
#include "kernel_templates/definition_warnings.h"
#include "kernel_templates/library.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/commands/winner_options.h"
#include "tuner/exporting/compiler_arguments.h"
#include "tuner/exporting/exported_recommendations.h"
#include "tuner/exporting/portable_winners.h"
#include "tuner/exporting/recommended_tables.h"
#include "tuner/exporting/reproducible_export.h"
#include "tuner/exporting/text_difference.h"
#include "tuner/gpus/known_gpus.h"
#include "tuner/gpus/present_machine.h"
#include "tuner/knowledge/environment_changes.h"
#include "tuner/knowledge/known_winners.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/knowledge/workload.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

const exporting::ExportFormat& format_named(const std::string& name) {
  std::vector<std::string> known;
  for (const exporting::ExportFormat& format : exporting::export_formats()) {
    if (format.name == name) return format;
    known.emplace_back(format.name);
  }
  throw base::InputError(fmt::format("--format {}: expected one of {}{}", name, fmt::join(known, " "),
                                     base::did_you_mean(name, known)));
}

// Results that were not measured on this machine are exported only if the user asks for it with `option`.
void leave_out(db::ExportInput& input, model::RowSource source, const char* origin, const char* option) {
  const std::size_t left_out =
      std::erase_if(input.winners, [&](const db::Winner& winner) { return winner.best.source == source; });
  if (left_out == 0) return;
  if (input.winners.empty()) {
    throw base::WorkError(
        fmt::format("everything that is known of {} was {} from {}, not measured; {} exports it nevertheless",
                    input.kernel, model::to_string(source), origin, option));
  }
  base::log_warning(fmt::format("{}: {} left out that {} {} from {}; {} exports them, too", input.kernel,
                                base::counted(left_out, "result"), left_out == 1 ? "was" : "were",
                                model::to_string(source), origin, option));
}

// A file that chooses a configuration itself would prefer imported results to measured ones of a worse match.
void leave_mixed_imports_out(db::ExportInput& input, const exporting::ExportFormat& format) {
  const auto is_imported = [](const db::Winner& winner) {
    return winner.best.source == model::RowSource::kImported;
  };
  if (!format.chooses || std::all_of(input.winners.begin(), input.winners.end(), is_imported)) return;
  const std::size_t left_out = std::erase_if(input.winners, is_imported);
  if (left_out == 0) return;
  base::log_warning(fmt::format("{}: {} left out, because the file would choose them before measured ones",
                                input.kernel, base::counted(left_out, "imported result")));
}

void warn_of_unconfirmed(const db::ExportInput& input, const std::string& kernel) {
  const std::size_t unconfirmed = db::count_unconfirmed(input);
  if (unconfirmed == 0) return;
  base::log_warning(fmt::format(
      "{}: {} not confirmed on new inputs; "
      "a complete session of warptune tune {} confirms its best",
      input.kernel, unconfirmed == 1 ? "1 result is" : fmt::format("{} results are", unconfirmed), kernel));
}

void choose_for_all_gpus(db::ExportInput& input, const kernel_templates::KernelDefinition& definition,
                         const db::Store& store, const ExportOptions& options) {
  exporting::PortableWinners chosen =
      exporting::portable_winners(definition, input.winners, store, *options.portable, options.reproducible);
  input.winners = std::move(chosen.winners);
  for (const std::string& workload : chosen.left_out)
    base::log_warning(fmt::format("{}: left out {}", input.kernel, workload));
  if (input.winners.empty())
    throw base::WorkError(
        fmt::format("{}: nothing that was measured can run on all of the GPUs{}", input.kernel,
                    options.reproducible ? " and " + options.reproducible->sentence() : ""));
}

exporting::KernelExport input_of(const std::string& kernel, const db::Store& store,
                                 const ExportOptions& options) {
  const model::CacheState cache = options.cache;
  kernel_templates::KernelDefinition definition = kernel_templates::load_kernel(kernel, options.permissions);
  db::ExportInput input{definition.name,
                        definition.hash,
                        definition.parameters,
                        definition.constraints,
                        definition.problem,
                        definition.default_configuration,
                        store.winners(definition.name, definition.hash),
                        kernel_templates::is_checked(definition)};
  kernel_templates::log_warnings_of(definition);
  input.further_options = [definition](const model::NamedValues& problem, const model::GpuDescription& gpu,
                                       const model::NamedValues& configuration) {
    return exporting::compiler_arguments(definition, problem, gpu, configuration);
  };
  std::erase_if(input.winners, [&](const db::Winner& winner) { return winner.workload.cache != cache; });
  if (!options.imported) leave_out(input, model::RowSource::kImported, "a file", "--imported");
  if (!options.replayed) leave_out(input, model::RowSource::kReplayed, "a recording", "--replayed");
  leave_mixed_imports_out(input, *options.format);
  if (input.winners.empty()) {
    throw base::WorkError(fmt::format(
        "nothing is known of {} from {}{}; run `{}`", definition.name, model::l2_text(cache),
        knowledge::note_of_other_source(store, definition), knowledge::tune_command(kernel, {}, cache)));
  }
  if (options.portable) {
    choose_for_all_gpus(input, definition, store, options);
  } else if (options.reproducible) {
    exporting::keep_reproducible(input, kernel, store, *options.reproducible);
  } else {
    exporting::add_recommendations(input, definition);
  }
  warn_of_unconfirmed(input, kernel);
  for (const std::string& note : knowledge::environment_notes(
           input.winners, store, kernel, gpus::read_present_machine(gpus::distinct_gpus(store))))
    base::log_warning(fmt::format("{}: {}", input.kernel, note));
  return {std::move(input), std::move(definition)};
}

exporting::KernelExport covers_of(const std::string& kernel, const db::Store& store,
                                  const ExportOptions& options) {
  exporting::KernelExport exported{{}, kernel_templates::load_kernel(kernel, options.permissions)};
  const kernel_templates::KernelDefinition& definition = exported.definition;
  exported.input.kernel = definition.name;
  exported.input.kernel_hash = definition.hash;
  kernel_templates::log_warnings_of(definition);
  exported.covers = exporting::selected_covers(store, definition, kernel,
                                               {options.cache, options.gpu, options.reproducible});
  return exported;
}

// Throws `base::WorkError` with the difference if the content of a file is not `text`.
void check_file(const std::filesystem::path& file, const std::string& text, const ExportOptions& options) {
  constexpr std::size_t kShownLines = 10;  // Lines of the difference, for each of the two texts.
  const std::string present = base::read_file(file);
  if (present == text) return;
  throw base::WorkError(fmt::format("{} no longer matches the database; write it again with {} -o {}{}",
                                    file.string(), options.command, file.string(),
                                    exporting::text_difference(present, text, kShownLines)));
}

int write_export(const ExportOptions& options) {
  const db::Store store = knowledge::open_database(options.database);
  std::vector<exporting::KernelExport> inputs;
  for (const std::string& kernel : options.kernels)
    inputs.push_back((options.format->from_covers ? covers_of : input_of)(kernel, store, options));
  // The order on the command line does not change the file.
  std::stable_sort(
      inputs.begin(), inputs.end(), [](const exporting::KernelExport& a, const exporting::KernelExport& b) {
        return std::tie(a.input.kernel, a.input.kernel_hash) < std::tie(b.input.kernel, b.input.kernel_hash);
      });
  const std::string text = options.format->write(inputs);
  if (options.check) {
    check_file(*options.check, text, options);
    return 0;
  }
  if (options.output) {
    base::write_file_atomically(*options.output, text);
  } else {
    text_output::print_to(stdout, text);
  }
  return 0;
}

std::string read_command_line(const Options& options) {
  std::string command = fmt::format("warptune export {}", fmt::join(options.texts("KERNEL"), " "));
  if (options.has("format")) command += fmt::format(" --format {}", *options.text("format"));
  if (options.has("cache")) command += fmt::format(" --cache {}", *options.text("cache"));
  if (options.has("portable")) {
    const std::string over = *options.text("portable");
    command += over.empty() ? " --portable" : " --portable=" + over;
  }
  if (options.has("reproducible"))
    command += fmt::format(" --reproducible={}", read_reproducible(options)->text);
  for (const std::string& gpu : options.texts("gpu"))
    command += fmt::format(" --gpu {}", base::shell_word(gpu));
  if (options.is_set("replayed")) command += " --replayed";
  if (options.is_set("imported")) command += " --imported";
  if (options.has("db")) command += fmt::format(" --db {}", *options.text("db"));
  for (const std::string& folder : options.texts("allow-read"))
    command += fmt::format(" --allow-read {}", folder);
  if (options.has("trust")) command += " --trust";
  return command;
}

Options declare_export() {
  std::vector<std::string> formats;
  for (const exporting::ExportFormat& format : exporting::export_formats()) formats.emplace_back(format.name);
  Options options("export KERNEL...", "Writes the best configurations of kernels for use in other programs.");
  declare_kernel(options, 1, -1)
      .value("output,o", "FILE", "file to write; default: standard output")
      .value("format", fmt::format("{}", fmt::join(formats, "|")), "output format", "header");
  declare_cache_state(options)
      .flag("replayed", "export results that were replayed from a recording, too")
      .flag("imported", "export results that were imported from files, too; nobody has verified them")
      .value("check", "FILE", "write nothing; fail when FILE no longer matches the database")
      .help_and_log_level();
  declare_portable(
      options,
      "with --portable: a GPU of the database; it is repeated, or all, which is the default. With "
      "--format recommended: the GPU of the cover, by default that of the newest one");
  declare_reproducible(options);
  declare_database(options);
  declare_permissions(options);
  options.example("export transpose -o transpose_tuned.h", "Writes the best configurations as a C++ header.")
      .example("export transpose --format cuda -o transpose.cuh",
               "Writes the best configurations with the kernels and the functions that launch them.")
      .example("export transpose --check transpose_tuned.h",
               "Fails when the header no longer matches the database.")
      .example("export sgemm --format recommended",
               "Prints the newest cover as [[recommended]] tables for the definition of the kernel.")
      .example("export transpose --portable -o transpose_tuned.h",
               "Writes one configuration for each problem, which loses least on all GPUs of the database.")
      .related({"query", "tune"});
  return options;
}

// What only covers have, and what they lack.
void read_covers_of(const Options& options, ExportOptions& read) {
  if (!read.format->from_covers) return;
  for (const char* name : {"portable", "replayed", "imported"}) {
    if (options.is_set(name))
      throw base::InputError(
          fmt::format("--{} cannot be given with --format {}, which writes what `warptune "
                      "cover` measured",
                      name, read.format->name));
  }
  const std::vector<std::string> gpus = options.texts("gpu");
  if (gpus.size() > 1)
    throw base::InputError(
        fmt::format("--gpu {}: --format {} writes the covers of one GPU", gpus[1], read.format->name));
  if (!gpus.empty()) read.gpu = gpus.front();
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
  read.imported = options.is_set("imported");
  read.portable = read_portable(options);
  read.reproducible = read_reproducible(options);
  read_covers_of(options, read);
  if (!read.portable && options.has("gpu") && !read.format->from_covers) {
    throw base::InputError(
        "--gpu needs --portable here: without it, the file has the best configurations of all GPUs");
  }
  read.database = read_database(options);
  read.command = read_command_line(options);
  return read;
}

namespace {

int run_export(const std::vector<std::string>& arguments) {
  const std::optional<ExportOptions> options = parse_export(arguments);
  return options ? write_export(*options) : 0;
}

}  // namespace

Command export_command() {
  return {"export", "write the best configurations as a C++ header, as CUDA code or in another format",
          run_export, [] { return declare_export().description(); }};
}

}  // namespace warptune::tuner::commands
