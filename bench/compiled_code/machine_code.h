#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernel_templates/compiler.h"

namespace warptune::bench {

/// One function of a cubin.
struct FunctionCode {
  std::string digest;             ///< Of its instructions.
  std::int64_t instructions = 0;  ///< Without the `NOP`s that fill it up.
  std::int64_t registers = 0;     ///< 0 for a function that is not an entry.
  std::int64_t static_shared_bytes = 0;
  std::int64_t local_bytes = 0;
  std::int64_t spill_bytes = 0;

  auto operator<=>(const FunctionCode&) const = default;
};

/// What a program was compiled to, without any name: equal for two programs that run the same.
struct MachineCode {
  std::vector<FunctionCode> entries;    ///< In the order of the launches that first name them.
  std::vector<FunctionCode> functions;  ///< Others, which were not inlined; sorted.
  std::vector<std::string> constants;   ///< Digests of the sections of constants and initial values; sorted.

  std::int64_t instructions() const;
  std::int64_t max_registers() const;
  std::int64_t spill_bytes() const;

  bool operator==(const MachineCode&) const = default;
};

/// Reads the cubin, an ELF file with a section `.text.SYMBOL` for each function. Throws `base::InputError`
/// when it is none, or lacks an entry.
MachineCode machine_code(const kernel_templates::CompiledKernel& compiled);

}  // namespace warptune::bench
