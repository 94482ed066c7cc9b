#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "kernel_templates/compiler.h"
#include "model/measurement.h"

namespace warptune::kernel_templates::nvcc {

/// The toolkit's nvcc. Empty if there is none.
std::filesystem::path find_nvcc();

/// Identifies the installed nvcc and its host compiler, for keys of the compile cache.
std::string identity();

/// Compiles a program to machine code with nvcc and its host compiler, in a new temporary folder. A program
/// that does not compile is an outcome with nvcc's messages.
model::Outcome<CompiledKernel> compile(const CompileRequest& request);

/// The source that nvcc gets: macros as `#define`, the program, and an instance of a template for each entry.
/// `find_entries` finds the symbols of the entries by the symbols of these instances.
std::string nvcc_source(const CompileRequest& request);

/// Finds the symbol of each entry in the assembler's report (`-v`). Fails, with the reason as its error, if
/// an entry has no symbol.
base::Result<std::vector<EntryCode>> find_entries(const CompileRequest& request, const std::string& report);

}  // namespace warptune::kernel_templates::nvcc
