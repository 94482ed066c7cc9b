#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tuner/html_report/report_workloads.h"

namespace warptune::tuner::commands {

enum class ReportFormat { kHtml, kSvg, kCsv, kJson };

/// What `warptune report` is asked for.
struct ReportOptions {
  ReportFormat format = ReportFormat::kHtml;
  std::string plot;                             ///< The picture's name; empty unless the format is svg.
  std::optional<std::filesystem::path> output;  ///< Nothing: standard output.
  html_report::ReportQuestion question;
};

/// Nothing where help was asked for and printed. Throws `base::InputError`, for a page that a terminal would
/// get, too.
std::optional<ReportOptions> parse_report(const std::vector<std::string>& arguments);

}  // namespace warptune::tuner::commands
