#pragma once

#include <string>

#include "survey/records/survey.h"

namespace warptune::survey::records {

/// How the surveyed program ended, as a sentence. It is empty if the program ended with exit code 0.
std::string ending_of(const Run& run);

}  // namespace warptune::survey::records
