#pragma once

#include <filesystem>
#include <vector>

#include "kernel_templates/emulation/program_files.h"

namespace warptune::kernel_templates::emulation {

/// The host's C++ compiler: the one that the variable CXX names, otherwise `c++`, `g++` or `clang++` of the
/// system's folders. Empty if there is none.
std::filesystem::path find_host_compiler();

/// The folder of the headers that an emulated program includes.
std::filesystem::path runtime_folder();

/// Compiles and runs a program in `folder`, an existing folder, with AddressSanitizer if the compiler has it.
/// `files` are those of `EmulationProgram::files()`.
/// A program that a sanitizer ends is compiled again with line information (`-g1`) and run again, so that the
/// sanitizer's report names source lines. `include_folders` come before `runtime_folder()`. This
/// executes the code of the program's author: the caller decides whether that is allowed, and confines this
/// process.
ProgramOutcome compile_and_run(const std::vector<NamedFile>& files, const std::filesystem::path& folder,
                               const std::filesystem::path& compiler,
                               const std::vector<std::filesystem::path>& include_folders = {});

}  // namespace warptune::kernel_templates::emulation
