#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kernel_templates/compiler.h"

namespace warptune::kernel_templates::detail {

/// How reasons begin that tell of the machine, not of the program: no linker, or no such library.
constexpr std::string_view kCannotLink = "cannot link: ";

/// The file of a toolkit's device library (`cudadevrt`: `libcudadevrt.a`); empty where there is none.
std::string find_device_library(const std::string& name);

/// Links a relocatable cubin with the toolkit's device libraries by nvJitLink (loaded on first use). The
/// entries' resources become those of the linked code. The reason where it cannot be.
base::Result<std::string> link_program(const std::string& cubin, const CompileRequest& request,
                                       std::vector<EntryCode>& entries);

/// Reads what the linker says (`-verbose`) into the entries, matched by symbol. Of 8.0 on it counts the
/// kilobyte that the system takes of a block with shared memory as the block's own; the assembler does not.
void read_linked_resources(const std::string& info, const std::string& architecture,
                           std::vector<EntryCode>& entries);

}  // namespace warptune::kernel_templates::detail
