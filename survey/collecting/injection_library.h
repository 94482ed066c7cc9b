// The library that is loaded into surveyed programs. It is a part of this program's own file.
#pragma once

#include <string_view>

namespace warptune::survey::collecting {

/// The bytes of the shared library `warptune_survey_injection`. The build writes the source of this function.
std::string_view injection_library();

}  // namespace warptune::survey::collecting
