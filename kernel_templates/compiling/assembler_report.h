#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_templates/compiler.h"

namespace warptune::kernel_templates::compiling {

/// The integer that stands before `unit` in a line such as "Used 42 registers, used 1 barriers, 128 bytes
/// smem"; 0 where it does not.
std::int64_t number_before(std::string_view line, std::string_view unit);

/// What follows `marker` in a line, up to the next blank or quote; empty when the line has no marker.
std::string symbol_after(const std::string& line, std::string_view marker);

/// Reads the assembler's report (`--ptxas-options=-v`) into the entries, matched by symbol. Functions that
/// are not inlined have properties of their own behind those of the entry; an entry's stack holds theirs.
void read_resources(const std::string& log, std::vector<EntryCode>& entries);

/// The log without the assembler's report and its blank lines: what a person needs.
std::string messages_of(const std::string& log);

}  // namespace warptune::kernel_templates::compiling
