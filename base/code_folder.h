#pragma once

#include <filesystem>

namespace warptune::base {

/// The folder of the file that has warptune's code: of a shared library in another program, otherwise of the
/// running program.
std::filesystem::path code_folder();

}  // namespace warptune::base
