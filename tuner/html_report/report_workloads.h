#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tuner/html_report/report_workload.h"
#include "tuner/knowledge/known_rows.h"

namespace warptune::tuner::html_report {

/// What a report is asked for. Sizes, GPU and cache state leave out what does not fit them.
struct ReportQuestion : knowledge::WorkloadSelection {
  /// Shipped names, and paths of definitions or of recordings; none: all that the database knows.
  std::vector<std::string> kernels;
  /// Of a workload with more configurations a sample of about as many; `UINT64_MAX`: all of any.
  std::uint64_t shown_rows = knowledge::kMaxShownRows;
};

/// The workloads of `warptune report`: a recording for each name that is an existing file and no kernel
/// definition; for any other all that the database knows of that kernel as its source is now and that the
/// question leaves; without names everything that the database knows. The newest first. Throws
/// `base::InputError` where a name is neither, `base::WorkError` where nothing is known of it.
std::vector<ReportWorkload> report_workloads(const ReportQuestion& question);

}  // namespace warptune::tuner::html_report
