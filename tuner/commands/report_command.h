#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/html_report/report_workloads.h"

namespace warptune::tuner::commands {

enum class ReportFormat { kHtml, kSvg, kCsv, kJson };

/// The arguments of `warptune report`, parsed and checked.
struct ReportOptions {
  ReportFormat format = ReportFormat::kHtml;
  std::string plot;                             ///< The name of the plot; empty unless the format is svg.
  std::optional<std::filesystem::path> output;  ///< No value: standard output.
  html_report::ReportQuestion question;
};

/// Returns `std::nullopt` after printing the help that the arguments ask for. Throws `base::InputError` for
/// arguments that are not valid. It also throws if an HTML page would be printed on a terminal.
std::optional<ReportOptions> parse_report(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
