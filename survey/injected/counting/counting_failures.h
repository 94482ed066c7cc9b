// Why CUPTI does not count.
#pragma once

#include <cupti_result.h>

namespace warptune::survey::injected::counting {

/// The reason for a person, as the end of a sentence, or null if the code's name has to do.
const char* reason_of(CUptiResult code);
/// Whether no context of the process can be counted.
bool concerns_all_contexts(CUptiResult code);

}  // namespace warptune::survey::injected::counting
