#pragma once

#include <string>
#include <vector>

#include "kernel_templates/emulation/program_files.h"
#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::tuner::checking {

/// One run of an emulated program. The program numbers its runs by their index in a list of these.
struct EmulatedRun {
  model::NamedValues problem;
  model::NamedValues configuration;
  bool ragged = false;  ///< Whether the sizes are primes (`SmallProblem::ragged`).
};

/// What is learned from the output of an emulated program.
struct EmulatedOutcome {
  kernel_templates::inspection::Findings findings;
  std::string obstacle;  ///< Why some runs have no result; empty if all have one.
};

/// Reads the output of a program that was compiled (kernel_templates/emulation/runtime/emulated_case.h.in,
/// and the reports of AddressSanitizer and UndefinedBehaviorSanitizer). The position of a finding is the
/// source line that the sanitizer names, otherwise the argument, otherwise the entry. Findings at ragged
/// sizes are warnings.
EmulatedOutcome emulated_findings(const kernel_templates::KernelDefinition& definition,
                                  const std::vector<EmulatedRun>& runs,
                                  const kernel_templates::emulation::ProgramOutcome& outcome);

}  // namespace warptune::tuner::checking
