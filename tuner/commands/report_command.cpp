#include "tuner/commands/report_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "base/error.h"
#include "base/files.h"
#include "tuner/commands/command.h"
#include "tuner/commands/option_groups.h"
#include "tuner/commands/options.h"
#include "tuner/html_report/report_csv.h"
#include "tuner/html_report/report_data.h"
#include "tuner/html_report/report_page.h"
#include "tuner/html_report/report_plots.h"
#include "tuner/text_output/terminal.h"

namespace warptune::tuner::commands {

namespace {

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::string picture(const std::vector<html_report::ReportWorkload>& workloads, const std::string& plot) {
  if (workloads.size() > 1) {
    throw base::InputError(fmt::format(
        "--format svg draws one workload, but there are {}; choose with KERNEL, --size, --gpu and --cache",
        workloads.size()));
  }
  return html_report::report_plot(workloads.front(), plot);
}

std::string report_text(const ReportOptions& options,
                        const std::vector<html_report::ReportWorkload>& workloads) {
  switch (options.format) {
    case ReportFormat::kSvg:
      return picture(workloads, options.plot);
    case ReportFormat::kCsv:
      return html_report::report_csv(workloads);
    case ReportFormat::kJson:
      return html_report::report_json(workloads, now_ms()) + "\n";
    case ReportFormat::kHtml:
      break;
  }
  return html_report::report_page(html_report::report_page_folder(),
                                  html_report::report_json(workloads, now_ms()));
}

int write_report(const ReportOptions& options) {
  html_report::ReportQuestion question = options.question;
  if (options.format == ReportFormat::kCsv) question.shown_rows = UINT64_MAX;
  const std::string text = report_text(options, html_report::report_workloads(question));
  if (options.output) {
    base::write_file_atomically(*options.output, text);
  } else {
    text_output::print_to(stdout, text);
  }
  return 0;
}

std::vector<std::string> plot_names() {
  std::vector<std::string> names;
  for (const html_report::ReportPlot& plot : html_report::report_plots()) names.emplace_back(plot.name);
  return names;
}

Options declare_report() {
  Options options(
      "report [KERNEL...]",
      "Writes what is known about kernels as one HTML file that opens offline, or as a picture or a "
      "table. KERNEL is the name of a shipped kernel, the path of a definition, or a recording. "
      "Without KERNEL, the report covers everything in the database.");
  declare_kernel(options, 0, -1)
      .value("output,o", "FILE", "file to write; default: standard output")
      .value("format", "html|svg|csv|json", "output format; svg needs --plot", "html")
      .value("plot", "NAME",
             "for svg: convergence, distribution, roofline, effects, or a counter to plot against the time")
      .known_words(plot_names)
      .values("size", "NAME=VALUE", "report only this size or type of the problem; may be repeated")
      .value("gpu", "NAME", "report only this GPU of the database: a part of its name, or its key")
      .value("cache", "cold|warm|unknown", "report only times measured with this state of the L2 cache");
  options
      .values("profile", "FILE",
              "show the source lines of an output of profile --source --format json; may be repeated")
      .flag("no-source", "leave out the source of the kernels");
  declare_database(options);
  declare_permissions(options).help_and_log_level();
  options.example("report transpose -o transpose.html", "Writes one page of what is known of a kernel.")
      .example("report transpose --format svg --plot roofline -o roofline.svg",
               "Draws the configurations of a kernel below its roofs, as a picture.")
      .related({"profile", "explain", "show"});
  return options;
}

// Checks that `--format` and `--plot` fit each other.
void check_plot(const Options& options, ReportFormat format) {
  const bool is_picture = format == ReportFormat::kSvg;
  if (is_picture && !options.has("plot")) {
    std::vector<std::string_view> names;
    for (const html_report::ReportPlot& plot : html_report::report_plots()) names.push_back(plot.name);
    throw base::InputError(
        fmt::format("--format svg needs --plot with one of {}, or a counter", fmt::join(names, ", ")));
  }
  if (!is_picture && options.has("plot")) {
    throw base::InputError(
        fmt::format("--plot is for --format svg; {} contains all plots", *options.text("format")));
  }
}

}  // namespace

std::optional<ReportOptions> parse_report(const std::vector<std::string>& arguments) {
  Options options = declare_report();
  if (!options.parse(arguments)) return std::nullopt;
  ReportOptions read;
  read.format = *options.choice<ReportFormat>("format", {{"html", ReportFormat::kHtml},
                                                         {"svg", ReportFormat::kSvg},
                                                         {"csv", ReportFormat::kCsv},
                                                         {"json", ReportFormat::kJson}});
  check_plot(options, read.format);
  read.plot = options.text("plot").value_or("");
  read.output = options.output_path("output");
  if (read.format == ReportFormat::kHtml && !read.output && ::isatty(STDOUT_FILENO) != 0)
    throw base::InputError("an HTML page is not for a terminal: name a file with -o FILE");
  read.question = {read_workload(options), options.texts("KERNEL")};
  for (const std::string& file : options.texts("profile")) read.question.profiles.emplace_back(file);
  read.question.with_source = !options.is_set("no-source");
  return read;
}

namespace {

int run_report(const std::vector<std::string>& arguments) {
  const std::optional<ReportOptions> options = parse_report(arguments);
  return options ? write_report(*options) : 0;
}

}  // namespace

Command report_command() {
  return {"report", "write one HTML file with all that is known: charts, roofline, diagnosis, tables",
          run_report, [] { return declare_report().description(); }};
}

}  // namespace warptune::tuner::commands
