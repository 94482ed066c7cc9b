#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/compiler.h"

namespace warptune::kernel_templates::compiling {

/// The integer directly before `unit` in a line such as "Used 42 registers, used 1 barriers, 128 bytes smem".
/// 0 if there is none.
std::int64_t number_before(std::string_view line, std::string_view unit);

/// The text after `marker` in a line, up to the next blank or quote. Empty if the line does not have the
/// marker.
std::string symbol_after(const std::string& line, std::string_view marker);

/// Reads the assembler's report (`--ptxas-options=-v`) into the entries, which are found by their symbols.
/// Functions that are not inlined have properties of their own, listed after those of the entry. The stack of
/// an entry includes theirs.
void read_resources(const std::string& log, std::vector<EntryCode>& entries);

/// Why the assembler refused a kernel for which it printed a report but no message: the kernel declares more
/// static shared memory than a block may have. Returns std::nullopt if no kernel of the log does.
std::optional<std::string> exceeded_shared_memory(const std::string& log);

/// The log without the assembler's report and its blank lines: the part that users need.
std::string messages_of(const std::string& log);

}  // namespace warptune::kernel_templates::compiling
