#pragma once

#include <string>
#include <vector>

#include "kernel_templates/compiler.h"
#include "model/measurement.h"

namespace warptune::kernel_templates::compiling {

/// The file of a toolkit's device library (`cudadevrt`: `libcudadevrt.a`); empty where there is none.
std::string find_device_library(const std::string& name);

/// Links a relocatable cubin with the toolkit's device libraries by nvJitLink (loaded on first use). The
/// entries' resources become those of the linked code. Where it cannot be linked, the cause of the rejection
/// tells whether the program is to blame, the machine (`kNoLinker`) or nvJitLink (`kCompilerFailed`).
model::Outcome<std::string> link_program(const std::string& cubin, const CompileRequest& request,
                                         std::vector<EntryCode>& entries);

/// Reads what the linker says (`-verbose`) into the entries, matched by symbol. Of 8.0 on it counts the
/// kilobyte that the system takes of a block with shared memory as the block's own; the assembler does not.
void read_linked_resources(const std::string& info, const std::string& architecture,
                           std::vector<EntryCode>& entries);

}  // namespace warptune::kernel_templates::compiling
