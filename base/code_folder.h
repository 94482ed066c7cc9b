#pragma once

#include <filesystem>

namespace warptune::base {

/// The folder of the file that has this code: of libwarptune.so in other programs, else of the program.
std::filesystem::path code_folder();

}  // namespace warptune::base
