#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/files.h"
#include "base/log.h"
#include "base/text.h"
#include "db/recording_file.h"
#include "kernel_templates/library.h"
#include "tuner/commands/database/db_action.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/exporting/stored_recordings.h"
#include "tuner/html_report/report_csv.h"
#include "tuner/knowledge/renamed_rows.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands::database {

namespace {

enum class RowFormat { kRecording, kT4, kCsv };

struct RowExportOptions {
  std::filesystem::path database;
  exporting::RowSelection selection;
  RowFormat format = RowFormat::kCsv;
  std::optional<std::filesystem::path> output;  ///< No value: standard output.
};

Options declare_export() {
  Options options(
      "db export [KERNEL...]",
      "Writes rows of the database: the best of each workload, or all. Recordings and T4 files can be "
      "imported again.");
  options.positional("KERNEL", 0, -1).known_words(kernel_templates::shipped_kernels);
  options.value("as", "recording|t4|csv", "format of the file; cells of csv never begin as a formula", "csv")
      .value("output,o", "FILE",
             "file to write; for recordings also a folder, which gets one file for each workload; default: "
             "standard "
             "output")
      .flag("all", "the newest row of each configuration, and not only the best of each workload")
      .flag("replayed", "rows that were replayed from a recording, too")
      .flag("imported", "rows that were imported from files, too");
  declare_sizes(options)
      .value("gpu", "NAME", "rows of this GPU: a part of its name, or its key")
      .value("cache", "cold|warm|unknown", "rows of this state of the L2 cache before each timed launch")
      .help_and_log_level();
  declare_database(options);
  options.example("db export --as csv -o best.csv", "Writes the best configuration of each workload.")
      .example("db export sgemm --all --as t4 -o sgemm.json", "Writes all rows of a kernel.")
      .example("db export --all --as recording -o folder",
               "Writes a recording of each workload into a folder.");
  return options;
}

std::optional<RowExportOptions> parse_export(const std::vector<std::string>& arguments) {
  Options options = declare_export();
  if (!options.parse(arguments)) return std::nullopt;
  RowExportOptions read;
  read.database = read_database(options);
  read.selection.kernels = options.texts("KERNEL");
  read.selection.workloads.sizes = read_sizes(options);
  read.selection.workloads.gpu = options.text("gpu");
  if (options.has("cache")) read.selection.workloads.cache = read_cache_state(options);
  read.selection.all = options.is_set("all");
  read.selection.replayed = options.is_set("replayed");
  read.selection.imported = options.is_set("imported");
  read.format = *options.choice<RowFormat>(
      "as", {{"recording", RowFormat::kRecording}, {"t4", RowFormat::kT4}, {"csv", RowFormat::kCsv}});
  // A folder receives a recording of each workload.
  std::error_code ignored;
  const bool into_folder = read.format == RowFormat::kRecording && options.has("output") &&
                           std::filesystem::is_directory(*options.path("output"), ignored);
  read.output = into_folder ? options.folder("output") : options.output_path("output");
  if (read.format == RowFormat::kRecording && !read.output)
    throw base::InputError("db export --as recording: expected -o FILE, because a recording is not text");
  return read;
}

std::string text_of(std::vector<model::Recording> recordings, RowFormat format) {
  if (format == RowFormat::kT4) return db::rows_as_t4(recordings);
  std::vector<html_report::ReportWorkload> workloads(recordings.size());
  for (std::size_t i = 0; i < recordings.size(); ++i) workloads[i].recording = std::move(recordings[i]);
  return html_report::report_csv(workloads);
}

// `reduction-n_16777216-nvidia_h200-cold-1.wtrec.zst`
std::string file_name_of(const model::Workload& workload, std::size_t number) {
  std::string name = fmt::format("{}-{}-{}-{}", workload.kernel, model::to_text(workload.problem),
                                 workload.gpu.name, model::to_string(workload.cache));
  for (char& c : name) {
    const bool is_plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
    if (!is_plain) c = '_';
  }
  constexpr std::size_t kLongest = 200;
  return fmt::format("{}-{}.wtrec.zst", name.substr(0, kLongest), number);
}

// A recording has no member for the source of a row, so a replay of the file shows imported rows as replayed.
void warn_of_imported(const std::vector<model::Recording>& recordings) {
  std::size_t imported = 0;
  for (const model::Recording& recording : recordings) {
    const std::vector<model::Measurement>& rows = recording.measurements;
    imported += static_cast<std::size_t>(std::count_if(
        rows.begin(), rows.end(), [](const auto& row) { return row.source == model::RowSource::kImported; }));
  }
  if (imported == 0) return;
  base::log_warning(
      fmt::format("{} {} written as any other: a recording does not say which rows were imported; --as t4 "
                  "and --as csv do",
                  base::counted(imported, "imported row"), imported == 1 ? "is" : "are"));
}

void write_recordings(const std::vector<model::Recording>& recordings, const std::filesystem::path& output) {
  if (!std::filesystem::is_directory(output)) {
    if (recordings.size() > 1) {
      throw base::InputError(
          fmt::format(
              "a recording holds one workload, and {} are selected; select one with KERNEL, --size, --gpu "
              "and --cache, or name an existing folder",
              recordings.size()),
          {output.string(), 0, 0});
    }
    db::write_recording(output, recordings.front());
    return;
  }
  for (std::size_t i = 0; i < recordings.size(); ++i)
    db::write_recording(output / file_name_of(recordings[i].workload, i + 1), recordings[i]);
}

int write_rows(const RowExportOptions& options) {
  std::vector<model::Recording> recordings =
      exporting::stored_recordings(knowledge::open_database(options.database), options.selection);
  if (recordings.empty()) {
    throw base::WorkError(
        "no row is selected; --replayed and --imported also select rows that were not measured, and warptune "
        "show "
        "lists the sessions");
  }
  if (options.format == RowFormat::kRecording) {
    warn_of_imported(recordings);
    write_recordings(recordings, *options.output);
  } else if (options.output) {
    base::write_file_atomically(*options.output, text_of(std::move(recordings), options.format));
  } else {
    text_output::print_to(stdout, text_of(std::move(recordings), options.format));
  }
  return 0;
}

int run_export(const std::vector<std::string>& arguments) {
  const std::optional<RowExportOptions> options = parse_export(arguments);
  return options ? write_rows(*options) : 0;
}

}  // namespace

Command export_action() {
  return {"export", "write rows as recordings, T4 results or CSV", run_export,
          [] { return declare_export().description(); }};
}

}  // namespace warptune::tuner::commands::database
