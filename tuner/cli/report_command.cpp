#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iostream>

#include "base/error.h"
#include "base/files.h"
#include "tuner/cli/command.h"
#include "tuner/cli/options.h"
#include "tuner/cli/report_subjects.h"
#include "tuner/report_data.h"
#include "tuner/report_page.h"
#include "tuner/report_plots.h"

namespace warptune::tuner::cli {

namespace {

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

// What `--format` and `--plot` may be, before anything is read.
void check(const std::string& format, bool has_plot) {
  constexpr std::array kFormats = {"html", "svg", "csv", "json"};
  if (std::find(kFormats.begin(), kFormats.end(), format) == kFormats.end())
    throw base::InputError(fmt::format("--format {}: expected {}", format, fmt::join(kFormats, ", ")));
  if (format == "svg" && !has_plot) {
    std::vector<std::string_view> names;
    for (const ReportPlot& plot : report_plots()) names.push_back(plot.name);
    throw base::InputError(
        fmt::format("--format svg: --plot says which: {} or a counter", fmt::join(names, ", ")));
  }
  if (format != "svg" && has_plot)
    throw base::InputError(fmt::format("--plot is for --format svg; {} has everything", format));
}

std::string picture(const std::vector<ReportSubject>& subjects, const std::string& plot) {
  if (subjects.size() > 1) {
    throw base::InputError(fmt::format(
        "--format svg draws one subject, these are {}; choose with KERNEL, --size, --gpu and --cache",
        subjects.size()));
  }
  return report_plot(subjects.front(), plot);
}

std::string report_text(const std::string& format, const std::string& plot,
                        const std::vector<ReportSubject>& subjects) {
  if (format == "svg") return picture(subjects, plot);
  if (format == "csv") return report_csv(subjects);
  const std::string json = report_json(subjects, now_ms());
  if (format == "json") return json + "\n";
  return report_page(report_page_folder(), json);
}

}  // namespace

int run_report(const std::vector<std::string>& arguments) {
  Options options("report [KERNEL...]",
                  "Writes what is known of kernels as one HTML file that opens offline, or as a picture or a "
                  "table. KERNEL is a shipped name, a definition's path or a recording; without any, "
                  "everything the database knows is reported.");
  options.positional("KERNEL", 0, -1)
      .value("output,o", "FILE", "where to; default standard output")
      .value("format", "html|svg|csv|json", "form of the output; svg needs --plot", "html")
      .value(
          "plot", "NAME",
          "with svg: convergence, distribution, roofline, effects, or a counter's name: it against the time")
      .values("size", "NAME=VALUE", "only this size or type of the problem; may be repeated")
      .value("gpu", "NAME", "only this GPU of the database: part of its name, or its key")
      .value("cache", "cold|warm", "only what was timed from a cold or a warm L2 cache")
      .database()
      .value("log-level", "LEVEL", "trace, debug, info, warn, error or off", "warn")
      .flag("help,h", "print this and exit");
  if (!options.parse(arguments)) return 0;
  const std::string format = *options.text("format");
  check(format, options.has("plot"));
  if (format == "html" && !options.has("output") && ::isatty(STDOUT_FILENO) != 0)
    throw base::InputError("a page is not for a terminal: name a file with -o FILE");
  const std::vector<ReportSubject> subjects = report_subjects(options);
  const std::string text = report_text(format, options.text("plot").value_or(""), subjects);
  if (const std::optional<std::string> file = options.text("output")) {
    base::write_file_atomically(*file, text);
  } else {
    std::cout << text;
  }
  return 0;
}

}  // namespace warptune::tuner::cli
