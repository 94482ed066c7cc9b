#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"

namespace warptune::bench {

/// One function of a cubin.
struct FunctionCode {
  std::string digest;             ///< A hash of its instructions.
  std::int64_t instructions = 0;  ///< Without the `NOP`s at its end.
  std::int64_t registers = 0;     ///< 0 for a function that is not an entry.
  std::int64_t static_shared_bytes = 0;
  std::int64_t local_bytes = 0;
  std::int64_t spill_bytes = 0;

  auto operator<=>(const FunctionCode&) const = default;
};

/// The machine code of a program without names. Two programs with equal machine code behave the same.
struct MachineCode {
  std::vector<FunctionCode> entries;    ///< In the order of their first launches.
  std::vector<FunctionCode> functions;  ///< Other functions that were not inlined; sorted.
  std::vector<std::string> constants;   ///< Hashes of the sections of constants and initial values; sorted.

  std::int64_t instructions() const;
  std::int64_t max_registers() const;
  std::int64_t spill_bytes() const;

  bool operator==(const MachineCode&) const = default;
};

/// Reads the cubin, an ELF file with a section `.text.SYMBOL` for each function. Throws `base::InputError` if
/// it is not a cubin or lacks an entry. Entries from number `count` on are left out.
MachineCode machine_code(const kernel_templates::CompiledKernel& compiled, std::size_t count);

}  // namespace warptune::bench
