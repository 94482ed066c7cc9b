#pragma once

#include <string>

#include "kernel_templates/inspection/finding.h"
#include "tuner/checking/definition_check.h"

namespace warptune::tuner::checking {

/// A line for each finding: `FILE:LINE:COLUMN: error: MESSAGE`, or `warning` instead of `error`.
std::string findings_text(const kernel_templates::inspection::Findings& findings);

/// What was compiled, as tables for a terminal, without the findings.
std::string programs_text(const CheckReport& report);

/// At most two sentences: what was run on the host, and what prevented the other runs.
std::string host_text(const CheckReport& report);

/// The last line of the output: the numbers of errors and warnings.
std::string verdict_text(const CheckReport& report);

}  // namespace warptune::tuner::checking
