#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "db/store.h"
#include "kernel_templates/kernel_definition.h"
#include "tuner/html_report/report_workload.h"
#include "tuner/knowledge/known_rows.h"

namespace warptune::tuner::html_report {

/// The request for a report. Workloads that do not match the sizes, the GPU or the cache state are left out.
struct ReportQuestion : knowledge::WorkloadSelection {
  /// Names of shipped kernels, or paths of definitions or recordings. Empty: everything in the database.
  std::vector<std::string> kernels;
  /// A workload with more configurations is reduced to a sample of about this size. `UINT64_MAX`: no limit.
  std::uint64_t shown_rows = knowledge::kMaxShownRows;
  /// Outputs of `warptune profile --source --format json`, whose source lines are shown.
  std::vector<std::filesystem::path> profiles{};
  bool with_source = true;  ///< Include the source of kernels whose definition is unchanged.
};

/// The workloads of `warptune report`, the newest first.
///
/// An existing file that is not a definition is read as a recording. Every other name must be a kernel. Its
/// workloads come from the database: those that match the question and the current source of the kernel.
/// Without names, all workloads of the database are used. Throws what `add_profiles` throws. Also throws
/// `base::InputError` for a name that is not a kernel, a definition or a recording, and `base::WorkError`
/// when nothing is known about a kernel.
std::vector<ReportWorkload> report_workloads(const ReportQuestion& question);

/// The workloads of `wanted` that have rows in the database, the newest first. Can be called while a session
/// still measures them. `definition` is the definition of their kernel, or null if the kernel is known only
/// from a recording.
std::vector<ReportWorkload> session_workloads(const db::Store& store,
                                              const std::vector<model::Workload>& wanted,
                                              const kernel_templates::KernelDefinition* definition);

}  // namespace warptune::tuner::html_report
