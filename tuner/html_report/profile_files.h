#pragma once

#include <filesystem>
#include <vector>

#include "tuner/html_report/report_workload.h"

namespace warptune::tuner::html_report {

/// Adds the source lines in files that `warptune profile --source --format json` wrote to the workloads that
/// they are about. Throws `base::InputError` when a file cannot be read, is not such an output, has no source
/// lines, or is about another workload. The message says which workload that is.
void add_profiles(std::vector<ReportWorkload>& workloads, const std::vector<std::filesystem::path>& files);

}  // namespace warptune::tuner::html_report
