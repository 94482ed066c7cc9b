// Imagined programs with one fault each, and their siblings without it.
#pragma once

#include <string>
#include <vector>

#include "survey/records/survey.h"

namespace warptune::survey {

/// A pair of programs.
struct ImaginedProgram {
  std::string fault;  ///< The finding that must come first for the planted one.
  records::Survey (*run)(bool planted);
};

/// All of them: one for each finding.
const std::vector<ImaginedProgram>& imagined_programs();

}  // namespace warptune::survey
