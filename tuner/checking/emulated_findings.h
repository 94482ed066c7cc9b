#pragma once

#include <string>
#include <vector>

#include "kernel_templates/emulation/program_files.h"
#include "kernel_templates/inspection/finding.h"
#include "kernel_templates/kernel_definition.h"

namespace warptune::tuner::checking {

/// A run of an emulated program, in the order of the program's own numbers.
struct EmulatedRun {
  model::NamedValues problem;
  model::NamedValues configuration;
  bool ragged = false;  ///< Whether the sizes are primes (`SmallProblem::ragged`).
};

/// What the output of an emulated program says.
struct EmulatedOutcome {
  kernel_templates::inspection::Findings findings;
  std::string obstacle;  ///< Why the program says nothing about some of its runs; empty if it does.
};

/// Reads the output of a program that was compiled (kernel_templates/emulation/runtime/emulated_case.h.in,
/// and the reports of AddressSanitizer and UndefinedBehaviorSanitizer). A mistake is at the source line that
/// the sanitizer names, else at the argument, else at the entry. Mistakes at ragged sizes are warnings.
EmulatedOutcome emulated_findings(const kernel_templates::KernelDefinition& definition,
                                  const std::vector<EmulatedRun>& runs,
                                  const kernel_templates::emulation::ProgramOutcome& outcome);

}  // namespace warptune::tuner::checking
